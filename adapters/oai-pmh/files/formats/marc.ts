import type { FileAccess } from '../../../../src/core/adapter.ts';
import type { Extractor } from '../reading/extractor.ts';
import { fileUrl } from '../reading/file-url.ts';
import type { FoundFiles } from '../reading/found-files.ts';
import { isPreview, looksLikeFile } from '../reading/link-kinds.ts';
import { isPageType, readMediaType } from '../reading/media-type.ts';
import { readAccess, type StatedAccess } from '../reading/stated-access.ts';
import { readHash } from '../reading/stated-hash.ts';

/** The subfields of one field: code to its values in their order. */
type Subfields = ReadonlyMap<string, readonly string[]>;

const fullText =
  /full\s*text|volltext|texte int[ée]gral|texto completo|\bpdf\b|\b(?:accepted|published|submitted) version\b/i;
/** What libraries link beside the thing: tables of contents, covers, blurbs, reviews. */
const aside =
  /table of contents|inhaltsverzeichnis|inhaltstext|sommaire|\bcover\b|umschlag|thumbnail|^icon\b|publisher description|contributor biograph|verlagsangaben|klappentext|sample text|rezension|book review|finding aid|related/i;

/**
 * MARC 21 field 856 with the access method HTTP, about the resource itself or a version of it. Most are links to
 * pages, so a media type, the words for a full text, or the URL have to say that it is a file. The same in MARCXML
 * and in the older oai_marc.
 */
export const marc: Extractor = (found) => {
  const fields: Subfields[] = [];
  let field: Map<string, string[]> | undefined;
  let rights: FileAccess | undefined;
  let inRights = false;
  return {
    open: (element) => {
      const tag = element.attribute('tag') ?? element.attribute('id');
      if (element.local !== 'datafield' && element.local !== 'varfield') return;
      const [first, second] = [
        element.attribute('ind1') ?? element.attribute('i1') ?? '',
        element.attribute('ind2') ?? element.attribute('i2') ?? '',
      ];
      inRights = tag === '506' || tag === '540';
      // HTTP, or nothing said; not a related resource (2), nor one of another kind (8).
      field = tag === '856' && /^[47]?$/.test(first) && /^[013-4]?$/.test(second) ? new Map() : undefined;
      if (field !== undefined) fields.push(field);
    },
    close: (element, text) => {
      if (element.local !== 'subfield' || text === '') return;
      const code = element.attribute('code') ?? element.attribute('label') ?? '';
      if (inRights) rights ??= readAccess(text);
      if (field === undefined) return;
      const values = field.get(code);
      if (values === undefined) field.set(code, [text]);
      else values.push(text);
    },
    end: () => {
      for (const one of fields) addField(one, rights, found);
    },
  };
};

function addField(field: Subfields, rights: FileAccess | undefined, found: FoundFiles): void {
  const labels = ['3', 'y', 'z', 'x', 'n'].flatMap((code) => field.get(code) ?? []);
  if (labels.some((label) => aside.test(label))) return;
  const type = readMediaType(field.get('q')?.[0]);
  const access: StatedAccess | undefined = accessOf(field, labels) ?? (rights && { access: rights });
  for (const address of field.get('u') ?? []) {
    const url = fileUrl(address);
    if (url === undefined || isPreview(url)) continue;
    const stated =
      (type !== undefined && !isPageType(type)) ||
      ['3', 'y', 'z'].some((code) => field.get(code)?.some((label) => fullText.test(label)));
    if (!stated && !looksLikeFile(url)) continue;
    found.add({
      url: address,
      mediaType: type,
      length: /^(\d+)(?: (?:bytes|octets))?$/.exec(field.get('s')?.[0] ?? '')?.[1],
      hash: hashOf(field.get('z') ?? []),
      access,
    });
  }
}

function accessOf(field: Subfields, labels: readonly string[]): StatedAccess | undefined {
  const code = field.get('7')?.[0];
  if (code === '0') return { access: 'open' };
  if (code === '1') return { access: 'restricted' };
  for (const label of labels) {
    const term = readAccess(label);
    if (term !== undefined) return { access: term };
    if (/^(?:restricted|closed|no) access|access (?:is )?restricted|campus only/i.test(label)) {
      return { access: 'restricted' };
    }
    if (/^(?:free|open) access\b|^free$|^kostenfrei$/i.test(label)) return { access: 'open' };
  }
  return undefined;
}

/** Zenodo writes the checksum as a note: `md5:…`. */
function hashOf(notes: readonly string[]): string | undefined {
  for (const note of notes) {
    const [, algorithm, digest] = /^(md5|sha-?1|sha-?256):([0-9a-f]+)$/i.exec(note) ?? [];
    if (digest !== undefined) return readHash(algorithm, digest);
  }
  return undefined;
}
