import { contentOf } from '../files/file-content.ts';
import { fileUrl, pageUrl } from '../records/addresses.ts';
import { areOnPageAlone } from '../records/sample-files.ts';
import type { SampleFile, SampleRecord } from '../records/sample-record.ts';
import { mediaTypes } from '../records/sample-record.ts';
import { element, escapeXml } from './xml.ts';

export interface SampleFormat {
  readonly prefix: string;
  readonly namespace: string;
  readonly schema: string;
  /** @param baseUrl of the provider: pages and files are beside it */
  write(record: SampleRecord, baseUrl: string): string;
}

const dc = 'http://purl.org/dc/elements/1.1/';
const xsi = 'http://www.w3.org/2001/XMLSchema-instance';
const oaiDc = 'http://www.openarchives.org/OAI/2.0/oai_dc/';
const jpcoar = 'https://github.com/JPCOAR/schema/blob/master/2.0/';
const mods = 'http://www.loc.gov/mods/v3';

export const sampleFormats: readonly SampleFormat[] = [
  {
    prefix: 'oai_dc',
    namespace: oaiDc,
    schema: 'http://www.openarchives.org/OAI/2.0/oai_dc.xsd',
    write: writeDublinCore,
  },
  { prefix: 'jpcoar_2.0', namespace: jpcoar, schema: `${jpcoar}jpcoar_scm.xsd`, write: writeJpcoar },
  {
    prefix: 'mods',
    namespace: mods,
    schema: 'http://www.loc.gov/standards/mods/v3/mods-3-7.xsd',
    write: writeMods,
  },
];

const typeNames = {
  article: 'departmental bulletin paper',
  thesis: 'doctoral thesis',
  report: 'research report',
};

/** Files that the metadata name. */
function statedFiles(record: SampleRecord): readonly SampleFile[] {
  return areOnPageAlone(record) ? [] : record.files;
}

/** Of the whole record: that of its least open file. */
function accessOf(record: SampleRecord): SampleFile['access'] | undefined {
  const found = record.files.map(({ access }) => access);
  return (['restricted', 'embargoed', 'open'] as const).find((access) => found.includes(access));
}

/** The words of info:eu-repo, and of COAR with the end of its URI. */
const accessTerms = {
  open: { term: 'openAccess', words: 'open access', coar: 'c_abf2' },
  embargoed: { term: 'embargoedAccess', words: 'embargoed access', coar: 'c_f1cf' },
  restricted: { term: 'restrictedAccess', words: 'restricted access', coar: 'c_16ec' },
  none: { term: undefined, words: 'metadata only access', coar: 'c_14cb' },
};
const coarAccess = 'http://purl.org/coar/access_right/';

/** For people, as repositories write it. */
function extentOf(file: SampleFile): string {
  return `${(contentOf(file).bytes.byteLength / 1024).toFixed(1)} KB`;
}

/** Days on which files that the metadata name become open. */
function embargoEnds(record: SampleRecord): readonly string[] {
  return statedFiles(record).flatMap(({ availableAt }) => availableAt?.slice(0, 10) ?? []);
}

function writeDublinCore(record: SampleRecord, baseUrl: string): string {
  const files = statedFiles(record);
  const access = accessTerms[accessOf(record) ?? 'none'];
  const [first, ...others] = files.map((file) => fileUrl(record, file, baseUrl));
  const formats = new Set(files.map(({ kind }) => mediaTypes[kind]));
  const ends = embargoEnds(record);
  const lines = [
    element('dc:title', record.title, ` xml:lang="${record.language.code}"`),
    ...record.creators.map(({ name }) => element('dc:creator', name)),
    element('dc:description', record.description, ` xml:lang="${record.language.code}"`),
    element('dc:publisher', 'The Sample Library'),
    element('dc:date', String(record.year)),
    ...ends.map((end) => element('dc:date', `info:eu-repo/date/embargoEnd/${end}`)),
    element('dc:type', typeNames[record.type]),
    ...(formats.size === 0 ? ['text/html'] : [...formats]).map((format) => element('dc:format', format)),
    ...(record.hasPage ? [element('dc:identifier', pageUrl(record, baseUrl))] : []),
    ...(first === undefined ? [] : [element('dc:identifier', first)]),
    element('dc:language', record.language.iso),
    ...others.map((url) => element('dc:relation', url)),
    ...(access.term === undefined ? [] : [element('dc:rights', `info:eu-repo/semantics/${access.term}`)]),
  ];
  return (
    `<oai_dc:dc xmlns:oai_dc="${oaiDc}" xmlns:dc="${dc}" xmlns:xsi="${xsi}" ` +
    `xsi:schemaLocation="${oaiDc} http://www.openarchives.org/OAI/2.0/oai_dc.xsd">\n  ${lines.join('\n  ')}\n</oai_dc:dc>`
  );
}

/** The identifiers that belong to the COAR resource type vocabulary. */
const coarTypes = { article: 'c_6501', thesis: 'c_db06', report: 'c_18ws' };

function writeJpcoar(record: SampleRecord, baseUrl: string): string {
  const lang = ` xml:lang="${record.language.code}"`;
  const creators = record.creators.map(
    ({ name, reading }) =>
      `<jpcoar:creator>${element('jpcoar:creatorName', name, lang)}` +
      `${name === reading ? '' : element('jpcoar:creatorName', reading, ' xml:lang="en"')}</jpcoar:creator>`,
  );
  const access = accessTerms[accessOf(record) ?? 'none'];
  const lines = [
    element('dc:title', record.title, lang),
    ...creators,
    element('dcterms:accessRights', access.words, ` rdf:resource="${coarAccess}${access.coar}"`),
    element('datacite:description', record.description, `${lang} descriptionType="Abstract"`),
    element('dc:publisher', 'The Sample Library', ' xml:lang="en"'),
    element('datacite:date', String(record.year), ' dateType="Issued"'),
    ...embargoEnds(record).map((end) => element('datacite:date', end, ' dateType="Available"')),
    element('dc:language', record.language.iso),
    element(
      'dc:type',
      typeNames[record.type],
      ` rdf:resource="http://purl.org/coar/resource_type/${coarTypes[record.type]}"`,
    ),
    // The schema wants one.
    element(
      'jpcoar:identifier',
      record.hasPage ? pageUrl(record, baseUrl) : record.identifier,
      ' identifierType="URI"',
    ),
    ...(record.type === 'thesis' ? writeDegree(record) : []),
    ...statedFiles(record).map((file) => writeJpcoarFile(record, file, baseUrl)),
  ];
  return (
    `<jpcoar:jpcoar xmlns:jpcoar="${jpcoar}" xmlns:dc="${dc}" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:datacite="https://schema.datacite.org/meta/kernel-4/" ` +
    `xmlns:dcndl="http://ndl.go.jp/dcndl/terms/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:xsi="${xsi}" xsi:schemaLocation="${jpcoar} ${jpcoar}jpcoar_scm.xsd">\n  ${lines.join('\n  ')}\n</jpcoar:jpcoar>`
  );
}

/** What IRDB and the National Diet Library want of a doctoral thesis. */
function writeDegree({ position, year }: SampleRecord): readonly string[] {
  const grantor = element('jpcoar:degreeGrantorName', 'The Sample University', ' xml:lang="en"');
  return [
    element('dcndl:dissertationNumber', `No. ${position}`),
    element('dcndl:degreeName', 'Doctor of Philosophy', ' xml:lang="en"'),
    element('dcndl:dateGranted', String(year)),
    `<jpcoar:degreeGrantor>${grantor}</jpcoar:degreeGrantor>`,
  ];
}

function writeJpcoarFile(record: SampleRecord, file: SampleFile, baseUrl: string): string {
  const { kind, revision, modifiedAt, availableAt } = file;
  const day = (availableAt ?? modifiedAt).slice(0, 10);
  const date = element('datacite:date', day, ' dateType="Available"');
  const objectType = kind === 'paper' ? 'fulltext' : kind === 'dataset' ? 'dataset' : 'other';
  return (
    `<jpcoar:file>${element('jpcoar:URI', fileUrl(record, file, baseUrl), ` objectType="${objectType}"`)}` +
    `${element('jpcoar:mimeType', mediaTypes[kind])}${element('jpcoar:extent', extentOf(file))}` +
    `${date}${element('datacite:version', String(revision))}</jpcoar:file>`
  );
}

function writeMods(record: SampleRecord, baseUrl: string): string {
  const names = record.creators.map(
    ({ name }) =>
      `<name>${element('namePart', name)}<role><roleTerm type="code" authority="marcrelator">aut</roleTerm></role></name>`,
  );
  const files = statedFiles(record);
  const access = accessTerms[accessOf(record) ?? 'none'];
  const urls = [
    ...(record.hasPage ? [element('url', pageUrl(record, baseUrl), ' access="object in context"')] : []),
    ...files.map((file) =>
      element(
        'url',
        fileUrl(record, file, baseUrl),
        ` access="raw object" displayLabel="${escapeXml(file.name)}"`,
      ),
    ),
  ];
  const physical = files.flatMap((file) => [
    element('internetMediaType', mediaTypes[file.kind]),
    element('extent', extentOf(file)),
  ]);
  const lines = [
    `<titleInfo lang="${record.language.iso}">${element('title', record.title)}</titleInfo>`,
    ...names,
    element('genre', typeNames[record.type]),
    `<originInfo>${element('publisher', 'The Sample Library')}${element('dateIssued', String(record.year), ' encoding="w3cdtf"')}</originInfo>`,
    `<language>${element('languageTerm', record.language.iso, ' type="code" authority="iso639-2b"')}</language>`,
    ...(physical.length === 0 ? [] : [`<physicalDescription>${physical.join('')}</physicalDescription>`]),
    element('abstract', record.description),
    ...(urls.length === 0 ? [] : [`<location>${urls.join('')}</location>`]),
    ...(access.term === undefined
      ? []
      : [
          element(
            'accessCondition',
            `info:eu-repo/semantics/${access.term}`,
            ` type="restriction on access" xlink:href="${coarAccess}${access.coar}"`,
          ),
        ]),
  ];
  return `<mods xmlns="${mods}" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:xsi="${xsi}" xsi:schemaLocation="${mods} http://www.loc.gov/standards/mods/v3/mods-3-7.xsd" version="3.7">\n  ${lines.join('\n  ')}\n</mods>`;
}
