import type { HostileRecord } from '../repository.ts';

/** A metadata format of the provider; `declarations` are apart because some declare them elsewhere (quirk 84). */
export interface HostileFormat {
  readonly prefix: string;
  readonly namespace: string;
  readonly schema: string;
  readonly declarations: string;
  /** The payload; `declarations` go onto its root or nowhere. */
  write(record: HostileRecord, declarations: string, fileUrl: (index: number) => string): string;
  /** What has to be published, where that is not what was written. */
  readonly publishedDeclarations?: string;
}

export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const dublinCore =
  'xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/"';

const oaiDc: HostileFormat = {
  prefix: 'oai_dc',
  namespace: 'http://www.openarchives.org/OAI/2.0/oai_dc/',
  schema: 'http://www.openarchives.org/OAI/2.0/oai_dc.xsd',
  declarations: dublinCore,
  write: ({ title, identifier, version }, declarations) =>
    `<oai_dc:dc${declarations}><dc:title>${escapeText(title)}</dc:title>` +
    `<dc:identifier>${escapeText(identifier.trim())}</dc:identifier>` +
    `<dc:description>version ${version}</dc:description></oai_dc:dc>`,
};

const mods: HostileFormat = {
  prefix: 'mods',
  namespace: 'http://www.loc.gov/mods/v3',
  schema: 'http://www.loc.gov/standards/mods/v3/mods-3-8.xsd',
  declarations: 'xmlns:mods="http://www.loc.gov/mods/v3"',
  write: ({ title, version }, declarations) =>
    `<mods:mods${declarations}><mods:titleInfo><mods:title>${escapeText(title)}</mods:title></mods:titleInfo>` +
    `<mods:note>version ${version}</mods:note></mods:mods>`,
};

/** A root called `metadata` (quirk 87), with a date in local time that is not to be believed (quirk 55). */
const xoai: HostileFormat = {
  prefix: 'xoai',
  namespace: 'http://www.lyncode.com/xoai',
  schema: 'http://www.lyncode.com/xsd/xoai.xsd',
  declarations: 'xmlns="http://www.lyncode.com/xoai"',
  write: ({ title, files, version }, declarations, fileUrl) =>
    `<metadata${declarations}><element name="dc"><element name="title"><field name="value">${escapeText(title)}, ${version}</field></element></element>` +
    '<element name="bundles"><element name="bundle"><field name="name">ORIGINAL</field><element name="bitstreams">' +
    files
      .map(
        ({ name, mediaType, content }, index) =>
          `<element name="bitstream"><field name="name">${escapeText(name)}</field><field name="format">${mediaType}</field>` +
          `<field name="size">${Buffer.byteLength(content)}</field><field name="url">${escapeText(fileUrl(index))}</field>` +
          `<field name="sid">${index + 1}</field></element>`,
      )
      .join('') +
    '</element></element></element><element name="others"><field name="lastModifyDate">2031-09-04 12:18:06.38</field></element></metadata>',
};

/** Attributes and text whose references mean something (quirks 90, 91), and text that was escaped twice (quirk 83). */
const mets: HostileFormat = {
  prefix: 'mets',
  namespace: 'http://www.loc.gov/METS/',
  schema: 'http://www.loc.gov/standards/mets/mets.xsd',
  declarations: 'xmlns:mets="http://www.loc.gov/METS/" xmlns:xlink="http://www.w3.org/1999/xlink"',
  write: ({ title, version }, declarations) =>
    `<mets:mets ID="&#10;&#9;DSpace_ITEM"${declarations}><mets:metsHdr xlink:label="${version}"/>` +
    `<mets:note>one&#13;two</mets:note><mets:note>R&amp;amp;D &amp;lt;b&amp;gt;</mets:note><mets:note><![CDATA[</metadata> & ${title}]]></mets:note></mets:mets>`,
};

/** A payload that says nothing of its namespace, with elements named like the protocol's own (quirk 86). */
const bare: HostileFormat = {
  prefix: 'bare',
  namespace: 'http://example.org/bare',
  schema: '',
  declarations: '',
  write: ({ title, version }, declarations) =>
    `<record${declarations}><header><identifier>not this one</identifier></header><title>${escapeText(title)}</title><version>${version}</version></record>`,
  publishedDeclarations: 'xmlns="http://www.openarchives.org/OAI/2.0/"',
};

/** In no namespace at all (quirk 86). */
const rioxx: HostileFormat = {
  prefix: 'rioxx',
  namespace: 'http://www.rioxx.net/schema/v3.0/rioxx/',
  schema: 'http://www.rioxx.net/schema/v3.0/rioxx/rioxx.xsd',
  declarations: 'xmlns="" xmlns:dc="http://purl.org/dc/elements/1.1/"',
  write: ({ title, version }, declarations) =>
    `<rioxx${declarations}><dc:title>${escapeText(title)}</dc:title><version>${version}</version></rioxx>`,
};

export const hostileFormats: readonly HostileFormat[] = [oaiDc, mods, xoai, mets, bare, rioxx];

export function findFormat(prefix: string): HostileFormat | undefined {
  return hostileFormats.find((format) => format.prefix === prefix);
}
