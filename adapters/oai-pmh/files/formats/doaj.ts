import type { Extractor } from '../reading/extractor.ts';
import { fileUrl } from '../reading/file-url.ts';
import { looksLikeFile } from '../reading/link-kinds.ts';
import { isPageType, readMediaType } from '../reading/media-type.ts';

/** `fullTextUrl` with its format; `html` is the article's page unless the link looks like a file. */
export const doaj: Extractor = (found) => ({
  close: (element, text) => {
    const url = element.local === 'fullTextUrl' ? fileUrl(text) : undefined;
    if (url === undefined) return;
    const type = readMediaType(element.attribute('format'));
    if ((type === undefined || isPageType(type)) && !looksLikeFile(url)) return;
    // Everything in that directory is open.
    found.add({ url: text, mediaType: type, access: { access: 'open' } });
  },
});
