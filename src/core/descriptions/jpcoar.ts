import type { JournalPlace } from './description.ts';
import type { Draft } from './draft.ts';
import { below, type Outline, textOf } from './xml-outline.ts';

const journalParts: ReadonlyMap<string, keyof JournalPlace> = new Map([
  ['sourceTitle', 'title'],
  ['volume', 'volume'],
  ['issue', 'issue'],
  ['pageStart', 'firstPage'],
  ['pageEnd', 'lastPage'],
] as const);

const dateRanks: ReadonlyMap<string, number> = new Map([
  ['Issued', 0],
  ['Created', 2],
  ['Copyrighted', 2],
  ['Available', 3],
]);

/** JPCOAR 1.0 to 2.1: prefixes and namespaces changed, the names of the elements did not. */
export function readJpcoar(root: Outline, draft: Draft): void {
  for (const element of root.children) readElement(element, draft);
}

function readElement(element: Outline, draft: Draft): void {
  const { local, text, attributes } = element;
  const language = attributes.get('lang');
  const part = journalParts.get(local);
  if (part !== undefined) draft.journal(part, text);
  else if (local === 'title' || local === 'alternative') draft.title(text, language);
  else if (local === 'creator') draft.creator(namesOf(element));
  else if (local === 'date') draft.date(text, dateRanks.get(attributes.get('dateType') ?? '') ?? 4);
  // dcterms:date is of the resource; of 2.0 and later.
  else if (local === 'dateGranted') draft.date(text, 1);
  else if (local === 'type') draft.type(text);
  else if (local === 'description')
    draft.abstract(text, language, attributes.get('descriptionType') === 'Abstract' ? 0 : 1);
  else if (local === 'rights' || local === 'license')
    draft.rights(text, attributes.get('resource') ?? undefined);
  else if (local === 'publisher') draft.publisher(publisherOf(element));
  else if (local === 'language') draft.language(text);
  else if (local === 'subject') draft.subject(text);
  else if (local === 'identifierRegistration') draft.identifier(text);
  else if (local === 'identifier') draft.identifier(text, attributes.get('identifierType'));
  else if (local === 'sourceIdentifier' && /issn$/i.test(attributes.get('identifierType') ?? ''))
    draft.journal('issn', text);
}

/** 2.0 has a publisher with its name within. */
function publisherOf(element: Outline): string {
  return textOf(below(element, 'publisherName')[0] ?? element);
}

/** Of one person, in several scripts; some give family and given names apart. */
function namesOf(creator: Outline) {
  const whole = below(creator, 'creatorName').map(formOf);
  if (whole.length > 0) return whole;
  const [family, given] = [below(creator, 'familyName')[0], below(creator, 'givenName')[0]];
  const text = [family, given].flatMap((part) => part?.text.trim() || []).join(', ');
  return [{ text, language: (family ?? given)?.attributes.get('lang') }];
}

function formOf({ text, attributes }: Outline) {
  return { text, language: attributes.get('lang') };
}
