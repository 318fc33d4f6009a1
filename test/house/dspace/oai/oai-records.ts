import { type Item, type Metadata, md5 } from '../model.ts';
import { xml } from '../xml.ts';

/** What a record is made of. */
export interface RecordSource {
  readonly item: Item;
  readonly metadata: Metadata;
  readonly identifier: string;
  readonly ui: string;
  /** Of DSpace 6 and earlier: `/bitstream/{handle}/{sequence}/{name}`. */
  readonly legacyUrls: boolean;
  /** When it is asked for, in ms: that is in METS. */
  readonly askedAt: number;
}

export interface OaiFormat {
  readonly namespace: string;
  readonly schema: string;
  readonly write: (source: RecordSource) => string;
}

const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';

/** As DSpace's crosswalks have them, as far as a harvester can tell. */
export const oaiFormats: Readonly<Record<string, OaiFormat>> = {
  oai_dc: {
    namespace: 'http://www.openarchives.org/OAI/2.0/oai_dc/',
    schema: 'http://www.openarchives.org/OAI/2.0/oai_dc.xsd',
    write: oaiDc,
  },
  qdc: {
    namespace: 'http://purl.org/dc/terms/',
    schema: 'http://dublincore.org/schemas/xmls/qdc/2006/01/06/dcterms.xsd',
    write: qdc,
  },
  dim: {
    namespace: 'http://www.dspace.org/xmlns/dspace/dim',
    schema: 'http://www.dspace.org/schema/dim.xsd',
    write: dim,
  },
  xoai: {
    namespace: 'http://www.lyncode.com/xoai',
    schema: 'http://www.lyncode.com/xsd/xoai.xsd',
    write: xoai,
  },
  mets: {
    namespace: 'http://www.loc.gov/METS/',
    schema: 'http://www.loc.gov/standards/mets/mets.xsd',
    write: mets,
  },
};

interface Value {
  readonly schema: string;
  readonly element: string;
  readonly qualifier: string | undefined;
  readonly value: string;
  readonly language: string | null;
}

function valuesOf(metadata: Metadata): Value[] {
  return Object.keys(metadata)
    .sort()
    .filter((field) => field !== 'dc.description.provenance' && field !== 'person.email')
    .flatMap((field) => {
      const [schema = '', element = '', qualifier] = field.split('.');
      return (metadata[field] ?? []).map(({ value, language }) => ({
        schema,
        element,
        qualifier,
        value,
        language,
      }));
    });
}

function oaiDc({ metadata, item }: RecordSource): string {
  const elements = valuesOf(metadata)
    .filter(({ schema }) => schema === 'dc')
    .map(({ element, qualifier, value }) => {
      const name = element === 'contributor' && qualifier === 'author' ? 'creator' : element;
      return `<dc:${name}>${xml(value)}</dc:${name}>`;
    });
  const formats = item.files.map(({ mimeType }) => `<dc:format>${xml(mimeType)}</dc:format>`);
  return `<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/" ${xsi} xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd">${[...elements, ...formats].join('')}</oai_dc:dc>`;
}

function qdc({ metadata }: RecordSource): string {
  const elements = valuesOf(metadata)
    .filter(({ schema }) => schema === 'dc')
    .map(({ element, qualifier, value }) =>
      qualifier === 'abstract' || qualifier === 'issued'
        ? `<dcterms:${qualifier}>${xml(value)}</dcterms:${qualifier}>`
        : `<dc:${element}>${xml(value)}</dc:${element}>`,
    );
  return `<qdc:qualifieddc xmlns:qdc="http://dspace.org/qualifieddc/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" ${xsi} xsi:schemaLocation="http://purl.org/dc/elements/1.1/ http://dublincore.org/schemas/xmls/qdc/2006/01/06/dc.xsd http://purl.org/dc/terms/ http://dublincore.org/schemas/xmls/qdc/2006/01/06/dcterms.xsd http://dspace.org/qualifieddc/ http://www.ukoln.ac.uk/metadata/dcmi/xmlschema/qualifieddc.xsd">${elements.join('')}</qdc:qualifieddc>`;
}

function dim({ metadata }: RecordSource): string {
  const fields = valuesOf(metadata).map(({ schema, element, qualifier, value, language }) => {
    const more = `${qualifier === undefined ? '' : ` qualifier="${xml(qualifier)}"`}${language ? ` lang="${xml(language)}"` : ''}`;
    return `<dim:field mdschema="${xml(schema)}" element="${xml(element)}"${more}>${xml(value)}</dim:field>`;
  });
  return `<dim:dim xmlns:dim="http://www.dspace.org/xmlns/dspace/dim" ${xsi} xsi:schemaLocation="http://www.dspace.org/xmlns/dspace/dim http://www.dspace.org/schema/dim.xsd">${fields.join('')}</dim:dim>`;
}

const element = (name: string, inner: string): string => `<element name="${xml(name)}">${inner}</element>`;
const field = (name: string, value: unknown): string => `<field name="${name}">${xml(String(value))}</field>`;

function xoai({ item, metadata, identifier, ui, legacyUrls }: RecordSource): string {
  const schemas = nest(valuesOf(metadata));
  const bundles = item.bundles.map(({ name: bundleName, bitstreams }) =>
    element(
      'bundle',
      field('name', bundleName) +
        element(
          'bitstreams',
          bitstreams
            .map(({ uuid, name, description, mimeType, sequence, content }) => {
              const bytes = content();
              const url = legacyUrls
                ? `${ui}/bitstream/${item.handle}/${sequence}/${encodeURIComponent(name)}`
                : `${ui}/bitstreams/${uuid}/download`;
              return element(
                'bitstream',
                field('name', name) +
                  field('originalName', name) +
                  (description === undefined ? '' : field('description', description)) +
                  field('format', mimeType) +
                  field('size', bytes.length) +
                  field('url', url) +
                  field('checksum', md5(bytes)) +
                  field('checksumAlgorithm', 'MD5') +
                  field('sid', sequence),
              );
            })
            .join(''),
        ),
    ),
  );
  const modified = new Date(item.lastModified).toISOString().replace('T', ' ').replace('Z', '');
  const others =
    field('handle', item.handle) + field('identifier', identifier) + field('lastModifyDate', modified);
  const repository =
    field('url', ui) + field('name', 'Sample Repository') + field('mail', 'admin@example.org');
  return `<metadata xmlns="http://www.lyncode.com/xoai" ${xsi} xsi:schemaLocation="http://www.lyncode.com/xoai http://www.lyncode.com/xsd/xoai.xsd">${schemas}${element('bundles', bundles.join(''))}${element('others', others)}${element('repository', repository)}${element('license', '')}</metadata>`;
}

/** schema > element > (qualifier >) language > field */
function nest(values: readonly Value[]): string {
  const grouped = (
    list: readonly Value[],
    key: (value: Value) => string,
    write: (group: Value[]) => string,
  ): string => {
    const groups = new Map<string, Value[]>();
    for (const value of list) groups.set(key(value), [...(groups.get(key(value)) ?? []), value]);
    return [...groups]
      .map(([name, group]) => (name === '' ? write(group) : element(name, write(group))))
      .join('');
  };
  return grouped(
    values,
    ({ schema }) => schema,
    (bySchema) =>
      grouped(
        bySchema,
        (value) => value.element,
        (byElement) =>
          grouped(
            byElement,
            ({ qualifier }) => qualifier ?? '',
            (byQualifier) =>
              grouped(
                byQualifier,
                ({ language }) => language || 'none',
                (byLanguage) => byLanguage.map(({ value }) => field('value', value)).join(''),
              ),
          ),
      ),
  );
}

function mets({ item, metadata, ui, identifier, askedAt }: RecordSource): string {
  const files = item.files.map(({ uuid, mimeType, content }) => {
    const bytes = content();
    return `<file ID="f-${uuid}" MIMETYPE="${xml(mimeType)}" SIZE="${bytes.length}" CHECKSUM="${md5(bytes)}" CHECKSUMTYPE="MD5"><FLocat LOCTYPE="URL" xlink:type="simple" xlink:href="${ui}/bitstreams/${uuid}/download"/></file>`;
  });
  const group =
    files.length === 0 ? '' : `<fileSec><fileGrp USE="ORIGINAL">${files.join('')}</fileGrp></fileSec>`;
  const title = metadata['dc.title']?.[0]?.value ?? '';
  return `<mets xmlns="http://www.loc.gov/METS/" xmlns:xlink="http://www.w3.org/1999/xlink" ${xsi} ID="m-${item.number}" TYPE="DSpace ITEM" PROFILE="DSpace METS SIP Profile 1.0" OBJID="${xml(identifier)}" xsi:schemaLocation="http://www.loc.gov/METS/ http://www.loc.gov/standards/mets/mets.xsd"><metsHdr CREATEDATE="${new Date(askedAt).toISOString().slice(0, 19)}Z"><agent ROLE="CUSTODIAN" TYPE="ORGANIZATION"><name>A Repository</name></agent></metsHdr><dmdSec ID="d-${item.number}"><mdWrap MDTYPE="MODS"><xmlData><mods:mods xmlns:mods="http://www.loc.gov/mods/v3"><mods:titleInfo><mods:title>${xml(title)}</mods:title></mods:titleInfo></mods:mods></xmlData></mdWrap></dmdSec>${group}<structMap LABEL="DSpace Object" TYPE="LOGICAL"><div TYPE="DSpace Object Contents"/></structMap></mets>`;
}
