import type { Extractor } from '../reading/extractor.ts';
import { isPageType, readMediaType } from '../reading/media-type.ts';

/** What URNs of the German National Library lead to: resources with a format that are no front page. */
export const epicur: Extractor = (found) => {
  let url = '';
  let frontPage = false;
  let format: string | undefined;
  return {
    open: ({ local }) => {
      if (local !== 'resource') return;
      url = '';
      frontPage = false;
      format = undefined;
    },
    close: (element, text) => {
      const { local } = element;
      if (local === 'identifier' && element.parent?.local === 'resource') {
        url = text;
        frontPage = element.attribute('type') === 'frontpage';
      } else if (local === 'format') format = text;
      else if (local === 'resource' && !frontPage) {
        const type = readMediaType(format);
        if (type !== undefined && !isPageType(type)) found.add({ url, mediaType: type });
      }
    },
  };
};
