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
export function toOaiDc({ metadata, bitstreams }: DspaceItem): string {
  const fields = new Fields(metadata);
  const elements: string[] = [];
  for (const [element, rule] of rules) {
    const name = `dc:${element}`;
    for (const { value } of rule(fields)) add(elements, name, value);
    if (element === 'format') for (const type of typesOf(bitstreams)) add(elements, name, type);
  }
  return document.render(elements);
}

function add(elements: string[], name: string, value: string): void {
  if (legalText(value).trim() !== '') elements.push(renderElement(name, [], value));
}

function isAuthor({ qualifier }: MetadataValue): boolean {
  return qualifier === 'author';
}

/** Each once: an item may have thousands of files. */
function typesOf(bitstreams: DspaceItem['bitstreams']): ReadonlySet<string> {
  const types = new Set<string>();
  for (const { bundleName, mimeType } of bitstreams) {
    if (bundleName === 'ORIGINAL' && mimeType !== undefined) types.add(mimeType);
  }
  return types;
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
    return this.#plain.get(element) ?? [];
  }

  qualified(element: string): readonly MetadataValue[] {
    return this.#qualified.get(element) ?? [];
  }
}
