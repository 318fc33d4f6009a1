import type { DspaceItem, MetadataValue } from './dspace-item.ts';
import { flatDocument, legalText, renderElement } from './xml-document.ts';

export const oaiDcNamespace = 'http://www.openarchives.org/OAI/2.0/oai_dc/';
export const oaiDcSchema = 'http://www.openarchives.org/OAI/2.0/oai_dc.xsd';
export const dcNamespace = 'http://purl.org/dc/elements/1.1/';

const document = flatDocument({
  name: 'oai_dc:dc',
  namespaces: [
    ['oai_dc', oaiDcNamespace],
    ['dc', dcNamespace],
  ],
  schemaLocation: `${oaiDcNamespace} ${oaiDcSchema}`,
});

/** The fields of one element, in order. */
type Rule = (fields: Fields) => readonly MetadataValue[];

const unqualifiedFirst =
  (element: string): Rule =>
  (fields) => [...fields.unqualified(element), ...fields.qualified(element)];

/** The order of DSpace's own crosswalk, `oai_dc.xsl`. */
const rules: readonly (readonly [element: string, rule: Rule])[] = [
  ['title', unqualifiedFirst('title')],
  [
    'creator',
    (fields) => [...fields.unqualified('creator'), ...fields.qualified('contributor').filter(isAuthor)],
  ],
  [
    'contributor',
    (fields) => [
      ...fields.qualified('contributor').filter((value) => !isAuthor(value)),
      ...fields.unqualified('contributor'),
    ],
  ],
  ['subject', unqualifiedFirst('subject')],
  ['description', unqualifiedFirst('description')],
  ['date', unqualifiedFirst('date')],
  ['type', unqualifiedFirst('type')],
  ['identifier', unqualifiedFirst('identifier')],
  ['language', unqualifiedFirst('language')],
  ['relation', unqualifiedFirst('relation')],
  ['rights', unqualifiedFirst('rights')],
  ['format', unqualifiedFirst('format')],
  ['coverage', unqualifiedFirst('coverage')],
  ['publisher', unqualifiedFirst('publisher')],
  ['source', unqualifiedFirst('source')],
];

/** Unqualified Dublin Core as DSpace's OAI-PMH endpoint gives it: the schema `dc` alone, qualifiers dropped. */
export function toOaiDc({ id, metadata, bitstreams }: DspaceItem): string {
  const fields = new Fields(metadata);
  const elements: string[] = [];
  for (const [element, rule] of rules) {
    const name = `dc:${element}`;
    for (const { value } of rule(fields)) add(elements, name, value);
    if (element === 'format' && !isCounted(id)) {
      for (const type of typesOf(bitstreams)) add(elements, name, type);
    }
  }
  return document.render(elements);
}

function add(elements: string[], name: string, value: string): void {
  if (legalText(value).trim() !== '') elements.push(renderElement(name, [], value));
}

function isAuthor({ qualifier }: MetadataValue): boolean {
  return qualifier === 'author';
}

/** DSpace 5 has numbers for items, and no types of files in its crosswalk. */
function isCounted(id: string): boolean {
  return /^\d+$/.test(id);
}

/** One for each file, in their order, as DSpace's crosswalk has it since 6.0. */
function typesOf(bitstreams: DspaceItem['bitstreams']): readonly string[] {
  return bitstreams.flatMap(({ bundleName, mimeType, format = mimeType }) =>
    bundleName === 'ORIGINAL' && format !== undefined ? [format] : [],
  );
}

/** The values of the schema `dc`, by element. */
class Fields {
  readonly #plain = new Map<string, MetadataValue[]>();
  readonly #qualified = new Map<string, MetadataValue[]>();

  constructor(values: readonly MetadataValue[]) {
    for (const value of values) {
      if (value.schema !== 'dc') continue;
      const group = value.qualifier === undefined ? this.#plain : this.#qualified;
      const found = group.get(value.element);
      if (found === undefined) group.set(value.element, [value]);
      else found.push(value);
    }
  }

  unqualified(element: string): readonly MetadataValue[] {
    return byLanguage(this.#plain.get(element) ?? []);
  }

  qualified(element: string): readonly MetadataValue[] {
    const byQualifier = groups(this.#qualified.get(element) ?? [], ({ qualifier = '' }) => qualifier);
    const order = registry.get(element) ?? [];
    const rank = (qualifier: string) => (order.includes(qualifier) ? order.indexOf(qualifier) : order.length);
    return [...byQualifier].sort(([a], [b]) => rank(a) - rank(b)).flatMap(([, values]) => byLanguage(values));
  }
}

/**
 * Qualifiers in the order in which DSpace's registry of Dublin Core has them from the beginning, where that is not the
 * alphabet's: its OAI-PMH has them in this order. Others come behind.
 */
const registry: ReadonlyMap<string, readonly string[]> = new Map([
  ['identifier', ['citation', 'govdoc', 'isbn', 'issn', 'sici', 'ismn', 'other', 'uri']],
  [
    'relation',
    [
      'isformatof',
      'ispartof',
      'ispartofseries',
      'haspart',
      'isversionof',
      'hasversion',
      'isbasedon',
      'isreferencedby',
      'requires',
      'replaces',
      'isreplacedby',
      'uri',
    ],
  ],
  [
    'description',
    ['abstract', 'provenance', 'sponsorship', 'statementofresponsibility', 'tableofcontents', 'uri'],
  ],
  ['contributor', ['advisor', 'author', 'editor', 'illustrator', 'other']],
  ['date', ['accessioned', 'available', 'copyright', 'created', 'issued', 'submitted']],
  ['subject', ['classification', 'ddc', 'lcc', 'lcsh', 'mesh', 'other']],
  ['format', ['extent', 'medium', 'mimetype']],
  ['coverage', ['spatial', 'temporal']],
]);

/** The values of one language together, as the crosswalk finds them in `xoai`. */
function byLanguage(values: readonly MetadataValue[]): readonly MetadataValue[] {
  if (values.length < 2) return values;
  return [...groups(values, ({ language = 'none' }) => language).values()].flat();
}

function groups(
  values: readonly MetadataValue[],
  nameOf: (value: MetadataValue) => string,
): ReadonlyMap<string, MetadataValue[]> {
  const found = new Map<string, MetadataValue[]>();
  for (const value of values) {
    const group = found.get(nameOf(value));
    if (group === undefined) found.set(nameOf(value), [value]);
    else group.push(value);
  }
  return found;
}
