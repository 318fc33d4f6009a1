import { asObject, asText, objectsOf } from '../json-value.ts';
import type { Draft } from './draft.ts';
import { below, type Outline } from './xml-outline.ts';

interface Field {
  /** `contributor.author`, without the schema. */
  readonly name: string;
  readonly text: string;
  readonly language: string | undefined;
}

const readers: Readonly<Record<string, (draft: Draft, field: Field) => void>> = {
  title: (draft, { text, language }) => draft.title(text, language),
  'title.alternative': (draft, { text, language }) => draft.title(text, language),
  'contributor.author': (draft, { text, language }) => draft.creator([{ text, language }]),
  creator: (draft, { text, language }) => draft.creator([{ text, language }]),
  'date.issued': (draft, { text }) => draft.date(text, 0),
  date: (draft, { text }) => draft.date(text, 1),
  'date.created': (draft, { text }) => draft.date(text, 2),
  'date.available': (draft, { text }) => draft.date(text, 3),
  'date.accessioned': (draft, { text }) => draft.date(text, 4),
  type: (draft, { text }) => draft.type(text),
  'description.abstract': (draft, { text, language }) => draft.abstract(text, language),
  description: (draft, { text, language }) => draft.abstract(text, language, 1),
  'rights.uri': (draft, { text }) => draft.rights('', text),
  rights: (draft, { text }) => draft.rights(text),
  'rights.license': (draft, { text }) => draft.rights(text),
  publisher: (draft, { text }) => draft.publisher(text),
  'language.iso': (draft, { text }) => draft.language(text),
  language: (draft, { text }) => draft.language(text),
  subject: (draft, { text }) => draft.subject(text),
  identifier: (draft, { text }) => draft.identifier(text),
  'identifier.uri': (draft, { text }) => draft.identifier(text),
  'identifier.doi': (draft, { text }) => draft.identifier(text),
  'identifier.isbn': (draft, { text }) => draft.identifier(text, 'isbn'),
  'identifier.issn': (draft, { text }) => draft.journal('issn', text),
};

/** DIM: every field as DSpace has it. Those of schemas other than `dc` and `dcterms` mean what their site wants. */
export function readDim(root: Outline, draft: Draft): void {
  for (const { attributes, text } of below(root, 'field')) {
    const [element, qualifier] = [attributes.get('element'), attributes.get('qualifier')];
    if (attributes.get('mdschema') !== 'dc' || element === undefined) continue;
    const isPlain = qualifier === undefined || qualifier === '' || qualifier === 'none';
    const name = isPlain ? element : `${element}.${qualifier}`;
    read(draft, { name, text, language: attributes.get('lang') });
  }
}

/** An item as the REST API of DSpace 7 and later writes it; of entities, what stands in the place of a title. */
export function readDspaceJson(text: string, draft: Draft): boolean {
  const item = asObject(parsed(text));
  const metadata = asObject(item?.metadata);
  if (!item || !metadata) return false;
  for (const [field, values] of Object.entries(metadata).slice(0, mostFields)) {
    if (!field.startsWith('dc.')) continue;
    for (const { value, language } of objectsOf(values).slice(0, mostFields))
      read(draft, { name: field.slice(3), text: asText(value) ?? '', language: asText(language) });
  }
  if (metadata['dc.title'] === undefined) draft.title(asText(item.name) ?? '');
  const handle = asText(item.handle);
  if (handle !== undefined) draft.identifier(`hdl:${handle}`);
  return true;
}

const mostFields = 1000;

function read(draft: Draft, field: Field): void {
  const own = Object.hasOwn(readers, field.name) ? readers[field.name] : undefined;
  if (field.text.trim() !== '') own?.(draft, field);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
