import type { Extractor } from '../reading/extractor.ts';
import { fileUrl } from '../reading/file-url.ts';
import { looksLikeFile } from '../reading/link-kinds.ts';
import { isPageType, readMediaType } from '../reading/media-type.ts';
import { embargo, readAccess, readAvailableAt, type StatedAccess } from '../reading/stated-access.ts';
import { readHash } from '../reading/stated-hash.ts';

interface ThesisFile {
  readonly url: string;
  readonly typed: boolean;
  format?: string;
  hash?: string | undefined;
  rights?: string;
  embargoEnd?: string;
}

/**
 * Theses for EThOS: each file is a `dc:identifier` of the type URI, and what follows up to the next one is about it.
 * Rights and an embargo that are stated once are about all files. `dcterms:hasFormat` has what was extracted.
 */
export const uketd: Extractor = (found) => {
  const files: ThesisFile[] = [];
  const rights: string[] = [];
  const embargoEnds: string[] = [];
  let file: ThesisFile | undefined;
  return {
    close: (element, text) => {
      const { local } = element;
      const type = element.attribute('type') ?? '';
      if (local === 'identifier') {
        file = { url: text, typed: /(?:^|:)URI$/.test(type) };
        files.push(file);
      } else if (local === 'hasFormat') file = undefined;
      else if (local === 'accessRights') {
        rights.push(text);
        if (file !== undefined) file.rights ??= text;
      } else if (local === 'embargodate') {
        embargoEnds.push(text);
        if (file !== undefined) file.embargoEnd ??= text;
      } else if (file !== undefined && local === 'format') file.format ??= text;
      else if (file !== undefined && local === 'checksum') {
        file.hash ??= readHash(type.slice(type.indexOf(':') + 1), text);
      }
    },
    end: () => {
      for (const one of files) {
        const { url, format, hash } = one;
        const parsed = fileUrl(url);
        if (parsed === undefined || !(isDescribed(one) || looksLikeFile(parsed))) continue;
        const [right] = rights.length === 1 ? rights : [one.rights];
        const [end] = embargoEnds.length === 1 ? embargoEnds : [one.embargoEnd];
        found.add({ url, mediaType: format, hash, access: accessOf(right, end) });
      }
    },
  };
};

/** A format of its own, or a checksum: nobody has these of a page. */
function isDescribed({ typed, format, hash }: ThesisFile): boolean {
  return typed && (hash !== undefined || (format !== undefined && !isPageType(readMediaType(format))));
}

function accessOf(rights: string | undefined, embargoEnd: string | undefined): StatedAccess | undefined {
  const access = readAccess(rights);
  if (access === 'restricted') return { access };
  const availableAt = readAvailableAt(embargoEnd);
  if (availableAt !== undefined || access === 'embargoed') return embargo(availableAt);
  return access && { access };
}
