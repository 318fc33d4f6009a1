import type { FileAccess } from '../../../../src/core/adapter.ts';
import type { Extractor } from '../reading/extractor.ts';
import { fileUrl } from '../reading/file-url.ts';
import { looksLikeFile } from '../reading/link-kinds.ts';
import { embargo, readAccess, readAvailableAt } from '../reading/stated-access.ts';

/**
 * DataCite has no place for files, only for their sizes and formats. Some repositories name them as parts, or among
 * the identifiers of the work itself: links that look like files are taken from there.
 */
export const datacite: Extractor = (found) => {
  const urls: string[] = [];
  let rights: FileAccess | undefined;
  let available: string | undefined;
  return {
    close: (element, text) => {
      const { local } = element;
      if (local === 'relatedIdentifier') {
        const isPart = element.attribute('relationType') === 'HasPart';
        if (isPart && /^url$/i.test(element.attribute('relatedIdentifierType') ?? '')) urls.push(text);
      } else if (local === 'identifier' || local === 'alternateIdentifier') {
        const type =
          element.attribute('identifierType') ?? element.attribute('alternateIdentifierType') ?? '';
        if (/^ur[il]$/i.test(type)) urls.push(text);
      } else if (local === 'rights')
        rights ??= readAccess(element.attribute('rightsURI')) ?? readAccess(text);
      else if (local === 'date' && element.attribute('dateType') === 'Available') available ??= text;
    },
    end: () => {
      const access =
        rights === 'embargoed' ? embargo(readAvailableAt(available)) : rights && { access: rights };
      for (const address of urls) {
        const url = fileUrl(address);
        if (url !== undefined && looksLikeFile(url)) found.add({ url: address, access });
      }
    },
  };
};
