import type { DspaceItem, MetadataValue } from './dspace-item.ts';
import { dcNamespace } from './oai-dc.ts';
import { flatDocument, legalText, renderElement } from './xml-document.ts';

export const dctermsNamespace = 'http://purl.org/dc/terms/';
const qdcNamespace = 'http://dspace.org/qualifieddc/';
export const qdcSchema = 'http://www.ukoln.ac.uk/metadata/dcmi/xmlschema/qualifieddc.xsd';
const dcmiSchemas = 'http://dublincore.org/schemas/xmls/qdc/2006/01/06';

const document = flatDocument({
  name: 'qdc:qualifieddc',
  namespaces: [
    ['qdc', qdcNamespace],
    ['dc', dcNamespace],
    ['dcterms', dctermsNamespace],
  ],
  schemaLocation: [
    `${dcNamespace} ${dcmiSchemas}/dc.xsd`,
    `${dctermsNamespace} ${dcmiSchemas}/dcterms.xsd`,
    `${qdcNamespace} ${qdcSchema}`,
  ].join(' '),
});

interface Target {
  readonly name: string;
  readonly type?: string;
}

/** Fields of the schema `dc`, by DSpace's own table `crosswalks/QDC.properties`, and authors, whom it forgets. */
const targets: ReadonlyMap<string, Target> = new Map<string, Target>([
  ['contributor.author', { name: 'dc:creator' }],
  ['coverage.spatial', { name: 'dcterms:spatial' }],
  ['coverage.temporal', { name: 'dcterms:temporal' }],
  ['date.accessioned', { name: 'dcterms:dateAccepted' }],
  ['date.available', { name: 'dcterms:available' }],
  ['date.copyright', { name: 'dcterms:dateCopyrighted' }],
  ['date.created', { name: 'dcterms:created' }],
  ['date.issued', { name: 'dcterms:issued' }],
  ['date.submitted', { name: 'dcterms:dateSubmitted' }],
  ['description.abstract', { name: 'dcterms:abstract' }],
  ['description.tableofcontents', { name: 'dcterms:tableOfContents' }],
  ['description.uri', { name: 'dc:description', type: 'dcterms:URI' }],
  ['format.extent', { name: 'dcterms:extent' }],
  ['format.medium', { name: 'dcterms:medium' }],
  ['identifier.citation', { name: 'dcterms:bibliographicCitation' }],
  ['identifier.uri', { name: 'dc:identifier', type: 'dcterms:URI' }],
  ['language.iso', { name: 'dc:language', type: 'dcterms:ISO639-2' }],
  ['relation.isformatof', { name: 'dcterms:isFormatOf' }],
  ['relation.ispartof', { name: 'dcterms:isPartOf' }],
  ['relation.haspart', { name: 'dcterms:hasPart' }],
  ['relation.isversionof', { name: 'dcterms:isVersionOf' }],
  ['relation.hasversion', { name: 'dcterms:hasVersion' }],
  ['relation.isreferencedby', { name: 'dcterms:isReferencedBy' }],
  ['relation.requires', { name: 'dcterms:requires' }],
  ['relation.replaces', { name: 'dcterms:replaces' }],
  ['relation.isreplacedby', { name: 'dcterms:isReplacedBy' }],
  ['relation.uri', { name: 'dc:relation', type: 'dcterms:URI' }],
  ['rights.uri', { name: 'dc:rights', type: 'dcterms:URI' }],
  ['source.uri', { name: 'dc:source', type: 'dcterms:URI' }],
  ['subject.ddc', { name: 'dc:subject', type: 'dcterms:DDC' }],
  ['subject.lcc', { name: 'dc:subject', type: 'dcterms:LCC' }],
  ['subject.lcsh', { name: 'dc:subject', type: 'dcterms:LCSH' }],
  ['subject.mesh', { name: 'dc:subject', type: 'dcterms:MESH' }],
  ['title.alternative', { name: 'dcterms:alternative' }],
]);

/** What the namespace of `dc:` holds. */
const elements: ReadonlySet<string> = new Set([
  'contributor',
  'coverage',
  'creator',
  'date',
  'description',
  'format',
  'identifier',
  'language',
  'publisher',
  'relation',
  'rights',
  'source',
  'subject',
  'title',
  'type',
]);

/** Qualified Dublin Core, in the order of the item's own fields. */
export function toQdc({ metadata }: DspaceItem): string {
  return document.render(
    metadata.flatMap((value) => {
      const target = targetOf(value);
      if (target === undefined || legalText(value.value).trim() === '') return [];
      const attributes = [
        ['type', target.type],
        ['xml:lang', languageTag(value.language)],
      ] as const;
      return [renderElement(target.name, attributes, value.value)];
    }),
  );
}

function targetOf({ schema, element, qualifier }: MetadataValue): Target | undefined {
  if (schema !== 'dc') return undefined;
  const known = qualifier === undefined ? undefined : targets.get(`${element}.${qualifier}`);
  return known ?? (elements.has(element) ? { name: `dc:${element}` } : undefined);
}

/** DSpace writes Java locales, `en_US`, and `*` for any; `xml:lang` has room for language tags alone. */
function languageTag(language: string | undefined): string | undefined {
  const tag = language?.replaceAll('_', '-');
  return tag !== undefined && /^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*$/.test(tag) ? tag : undefined;
}
