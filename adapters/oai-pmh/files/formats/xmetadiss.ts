import type { Extractor } from '../reading/extractor.ts';
import type { StatedAccess } from '../reading/stated-access.ts';
import { readHash } from '../reading/stated-hash.ts';

/** XMetaDiss and XMetaDissPlus, for the German National Library: `ddb:transfer` is what it is to fetch. */
export const xmetadiss: Extractor = (found) => {
  const urls: string[] = [];
  const names: string[] = [];
  let hash: string | undefined;
  let access: StatedAccess | undefined;
  return {
    close: (element, text) => {
      const { local } = element;
      if (local === 'transfer' && text !== '') urls.push(text);
      else if (local === 'fileProperties') names.push(element.attribute('fileName') ?? '');
      else if (local === 'checksum') hash ??= readHash(element.attribute('type'), text);
      else if (local === 'rights') access ??= kinds.get(element.attribute('kind')?.toLowerCase() ?? '');
    },
    end: () => {
      // Of several files the one place is an archive of all.
      const single = urls.length === 1 && names.length === 1;
      for (const url of urls) {
        found.add({
          url,
          name: single ? names[0] : undefined,
          hash: urls.length === 1 ? hash : undefined,
          access,
        });
      }
    },
  };
};

const kinds: ReadonlyMap<string, StatedAccess> = new Map<string, StatedAccess>([
  ['free', { access: 'open' }],
  ['domain', { access: 'restricted' }],
  ['blocked', { access: 'restricted' }],
]);
