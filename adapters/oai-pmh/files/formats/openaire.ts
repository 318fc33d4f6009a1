import type { FileAccess } from '../../../../src/core/adapter.ts';
import type { Extractor } from '../reading/extractor.ts';
import type { StatedFile } from '../reading/found-files.ts';
import { embargo, readAccess, readAvailableAt, type StatedAccess } from '../reading/stated-access.ts';

/** OpenAIRE's guidelines for literature repositories 4: `oaire:file`. */
export const openaire: Extractor = (found) => {
  const files: { readonly file: StatedFile; readonly access: FileAccess | undefined }[] = [];
  let rights: FileAccess | undefined;
  let available: string | undefined;
  let version: string | undefined;
  return {
    close: (element, text) => {
      const { local } = element;
      if (local === 'file' && element.parent?.local !== 'file') {
        const file = { url: text, mediaType: element.attribute('mimeType') };
        files.push({ file, access: readAccess(element.attribute('accessRightsURI')) });
      } else if (local === 'rights')
        rights ??= readAccess(element.attribute('rightsURI')) ?? readAccess(text);
      else if (local === 'date' && element.attribute('dateType') === 'Available') available ??= text;
      else if (local === 'version') version ??= element.attribute('uri') || text;
    },
    end: () => {
      for (const { file, access } of files) {
        found.add({ ...file, access: accessOf(access ?? rights, available), version });
      }
    },
  };
};

/** DSpace goes on stating embargoes that are over: the date decides. */
function accessOf(access: FileAccess | undefined, available: string | undefined): StatedAccess | undefined {
  return access === 'embargoed' ? embargo(readAvailableAt(available)) : access && { access };
}
