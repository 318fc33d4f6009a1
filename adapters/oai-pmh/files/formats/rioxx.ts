import type { Extractor } from '../reading/extractor.ts';
import { fileUrl } from '../reading/file-url.ts';
import { looksLikeFile } from '../reading/link-kinds.ts';
import { isPageType, readMediaType } from '../reading/media-type.ts';
import { embargo, readAccess, readAvailableAt, type StatedAccess } from '../reading/stated-access.ts';

/** RIOXX 2: `dc:identifier` is the file itself, but repositories put the page there where they have no file. */
export const rioxx2: Extractor = (found) => {
  const urls: string[] = [];
  const formats: string[] = [];
  let version: string | undefined;
  let free: StatedAccess | undefined;
  let licensed: StatedAccess | undefined;
  return {
    close: (element, text) => {
      const { local } = element;
      if (local === 'identifier') urls.push(text);
      else if (local === 'format') formats.push(text);
      else if (local === 'version') version ??= text;
      else if (local === 'free_to_read') free ??= from(element.attribute('start_date')) ?? { access: 'open' };
      else if (local === 'license_ref') licensed ??= from(element.attribute('start_date'));
    },
    end: () => {
      const [format] = formats;
      const typed = format !== undefined && !isPageType(readMediaType(format));
      for (const address of urls) {
        const url = fileUrl(address);
        if (url === undefined || !(typed || looksLikeFile(url))) continue;
        found.add({ url: address, mediaType: format, access: free ?? licensed, version });
      }
    },
  };
};

/** RIOXX 3: `dc:relation` with `rel="item"`; `dc:identifier` is the page. */
export const rioxx3: Extractor = (found) => ({
  close: (element, text) => {
    if (element.local !== 'relation' || element.attribute('rel') !== 'item') return;
    const access = readAccess(element.attribute('access_rights'));
    const exposed = element.attribute('resource_exposed_date');
    found.add({
      url: text,
      mediaType: element.attribute('type'),
      access:
        access === 'embargoed' || access === undefined
          ? (from(exposed) ?? (access && { access }))
          : { access },
      version: element.attribute('coar_version'),
    });
  },
});

/** Free from a date on. */
function from(date: string | undefined): StatedAccess | undefined {
  const availableAt = readAvailableAt(date);
  return availableAt === undefined ? undefined : embargo(availableAt);
}
