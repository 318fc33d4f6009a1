import type { SampleRecord } from './records.ts';
import { element } from './xml.ts';

export interface SampleFormat {
  readonly prefix: string;
  readonly namespace: string;
  readonly schema: string;
  write(record: SampleRecord): string;
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

function writeDublinCore(record: SampleRecord): string {
  const lines = [
    element('dc:title', record.title, ` xml:lang="${record.language.code}"`),
    ...record.creators.map(({ name }) => element('dc:creator', name)),
    element('dc:description', record.description, ` xml:lang="${record.language.code}"`),
    element('dc:publisher', 'The Sample Library'),
    element('dc:date', String(record.year)),
    element('dc:type', typeNames[record.type]),
    element('dc:format', 'text/html'),
    ...(record.page === undefined ? [] : [element('dc:identifier', record.page)]),
    element('dc:language', record.language.iso),
  ];
  return (
    `<oai_dc:dc xmlns:oai_dc="${oaiDc}" xmlns:dc="${dc}" xmlns:xsi="${xsi}" ` +
    `xsi:schemaLocation="${oaiDc} http://www.openarchives.org/OAI/2.0/oai_dc.xsd">\n  ${lines.join('\n  ')}\n</oai_dc:dc>`
  );
}

/** The identifiers that belong to the COAR resource type vocabulary. */
const coarTypes = { article: 'c_6501', thesis: 'c_db06', report: 'c_18ws' };

function writeJpcoar(record: SampleRecord): string {
  const lang = ` xml:lang="${record.language.code}"`;
  const creators = record.creators.map(
    ({ name, reading }) =>
      `<jpcoar:creator>${element('jpcoar:creatorName', name, lang)}` +
      `${name === reading ? '' : element('jpcoar:creatorName', reading, ' xml:lang="en"')}</jpcoar:creator>`,
  );
  const lines = [
    element('dc:title', record.title, lang),
    ...creators,
    element('datacite:description', record.description, `${lang} descriptionType="Abstract"`),
    element('dc:publisher', 'The Sample Library', ' xml:lang="en"'),
    element('datacite:date', String(record.year), ' dateType="Issued"'),
    element('dc:language', record.language.iso),
    element(
      'dc:type',
      typeNames[record.type],
      ` rdf:resource="http://purl.org/coar/resource_type/${coarTypes[record.type]}"`,
    ),
    ...(record.page === undefined
      ? []
      : [element('jpcoar:identifier', record.page, ' identifierType="URI"')]),
  ];
  return (
    `<jpcoar:jpcoar xmlns:jpcoar="${jpcoar}" xmlns:dc="${dc}" xmlns:datacite="https://schema.datacite.org/meta/kernel-4/" ` +
    `xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\n  ${lines.join('\n  ')}\n</jpcoar:jpcoar>`
  );
}

function writeMods(record: SampleRecord): string {
  const names = record.creators.map(
    ({ name }) =>
      `<name>${element('namePart', name)}<role><roleTerm type="code" authority="marcrelator">aut</roleTerm></role></name>`,
  );
  const page = record.page === undefined ? '' : element('url', record.page, ' access="object in context"');
  const lines = [
    `<titleInfo lang="${record.language.iso}">${element('title', record.title)}</titleInfo>`,
    ...names,
    element('genre', typeNames[record.type]),
    `<originInfo>${element('publisher', 'The Sample Library')}${element('dateIssued', String(record.year), ' encoding="w3cdtf"')}</originInfo>`,
    `<language>${element('languageTerm', record.language.iso, ' type="code" authority="iso639-2b"')}</language>`,
    element('abstract', record.description),
    ...(page === '' ? [] : [`<location>${page}</location>`]),
  ];
  return `<mods xmlns="${mods}" version="3.7">\n  ${lines.join('\n  ')}\n</mods>`;
}
