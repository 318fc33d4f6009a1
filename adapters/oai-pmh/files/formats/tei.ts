import type { Extractor } from '../reading/extractor.ts';
import { embargo, readAvailableAt } from '../reading/stated-access.ts';

/** HAL's TEI headers: `ref` of the type file or annex in the edition, with the day from which it is open. */
export const tei: Extractor = (found) => {
  let file: { url: string; from: string | undefined } | undefined;
  return {
    open: (element) => {
      const type = element.local === 'ref' ? element.attribute('type') : undefined;
      if (type === 'file' || type === 'annex')
        file = { url: element.attribute('target') ?? '', from: undefined };
      else if (file !== undefined && element.local === 'date' && element.parent?.local === 'ref') {
        file.from ??= element.attribute('notBefore');
      }
    },
    close: ({ local }) => {
      if (local !== 'ref' || file === undefined) return;
      const availableAt = readAvailableAt(file.from);
      found.add({ url: file.url, access: availableAt === undefined ? undefined : embargo(availableAt) });
      file = undefined;
    },
  };
};
