import type { Extractor } from './extractor.ts';
import { fileUrl } from './file-url.ts';
import { looksLikeFile } from './link-kinds.ts';
import { isPageType, readMediaType } from './media-type.ts';

/** CLARIN's component metadata: proxies of resources that have a media type or look like a file. */
export const cmdi: Extractor = (found) => {
  let isResource = false;
  let type: string | undefined;
  let address = '';
  return {
    close: (element, text) => {
      const { local } = element;
      if (local === 'ResourceType') {
        isResource = text === 'Resource';
        type = readMediaType(element.attribute('mimetype'));
      } else if (local === 'ResourceRef') address = text;
      else if (local === 'ResourceProxy') {
        const url = fileUrl(address);
        const typed = type !== undefined && !isPageType(type);
        if (isResource && url !== undefined && (typed || looksLikeFile(url))) {
          found.add({ url: address, mediaType: type });
        }
        isResource = false;
        type = undefined;
        address = '';
      }
    },
  };
};
