import type { Extractor } from '../reading/extractor.ts';
import { fileUrl } from '../reading/file-url.ts';
import { looksLikeFile } from '../reading/link-kinds.ts';
import { isPageType, readMediaType } from '../reading/media-type.ts';

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
