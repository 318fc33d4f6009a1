import type { Extractor } from '../reading/extractor.ts';
import { fileUrl } from '../reading/file-url.ts';
import { isPreview, looksLikeFile } from '../reading/link-kinds.ts';
import { isPageType, readMediaType } from '../reading/media-type.ts';

/**
 * LIDO of museums: `linkResource` of a representation with a format, with a type that says picture or manifest, or
 * that looks like a file. Thumbnails are not files.
 */
export const lido: Extractor = (found) => ({
  close: (element, text) => {
    const { local, parent } = element;
    if (local !== 'linkResource' || parent?.local !== 'resourceRepresentation') return;
    const kind = parent.attribute('type') ?? '';
    const url = fileUrl(text);
    if (url === undefined || isPreview(url) || /thumb|preview/i.test(kind)) return;
    const type = readMediaType(element.attribute('formatResource'));
    const stated = (type !== undefined && !isPageType(type)) || /image|master|iiif/i.test(kind);
    if (stated || looksLikeFile(url)) found.add({ url: text, mediaType: type });
  },
});
