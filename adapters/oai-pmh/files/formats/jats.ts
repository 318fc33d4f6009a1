import type { Extractor } from '../reading/extractor.ts';
import { fileUrl } from '../reading/file-url.ts';
import { looksLikeFile } from '../reading/link-kinds.ts';
import { isPageType, readMediaType } from '../reading/media-type.ts';

/** Journal articles: `self-uri` of the article, where its content type or its looks say that it is a file. */
export const jats: Extractor = (found) => ({
  close: (element, text) => {
    if (element.local !== 'self-uri') return;
    const address = element.attribute('href') || text;
    const url = fileUrl(address);
    const type = readMediaType(element.attribute('content-type'));
    const typed = type !== undefined && !isPageType(type) && type !== 'application/xml';
    if (url !== undefined && (typed || looksLikeFile(url))) found.add({ url: address, mediaType: type });
  },
});
