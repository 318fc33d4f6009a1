import type { Draft } from './draft.ts';
import type { Outline } from './xml-outline.ts';

type Rule = (draft: Draft, text: string, element: Outline) => void;

const languageOf = ({ attributes }: Outline) => attributes.get('lang');
const addressOf = ({ attributes }: Outline) => attributes.get('resource') ?? attributes.get('uri');

const identifier: Rule = (draft, text, { attributes }) =>
  draft.identifier(text, attributes.get('type')?.split(':').at(-1));
const issued: Rule = (draft, text) => draft.date(text, 0);
const rights: Rule = (draft, text, element) => draft.rights(text, addressOf(element));

/** Elements of Dublin Core, and those that its relatives (junii2, RIOXX, ETD-MS, UKETD) have in their place. */
const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['title', (draft, text, element) => draft.title(text, languageOf(element))],
  ['alternative', (draft, text, element) => draft.title(text, languageOf(element))],
  ['creator', (draft, text, element) => draft.creator([{ text, language: languageOf(element) }])],
  ['author', (draft, text, element) => draft.creator([{ text, language: languageOf(element) }])],
  ['issued', issued],
  ['dateofissued', issued],
  ['publication_date', issued],
  ['date', (draft, text) => draft.date(text, 1)],
  ['created', (draft, text) => draft.date(text, 2)],
  ['available', (draft, text) => draft.date(text, 3)],
  ['type', (draft, text) => draft.type(text)],
  ['niitype', (draft, text) => draft.type(text)],
  ['abstract', (draft, text, element) => draft.abstract(text, languageOf(element))],
  ['description', describe],
  ['rights', rights],
  ['license', rights],
  ['license_ref', rights],
  ['publisher', (draft, text) => draft.publisher(text)],
  ['language', (draft, text) => draft.language(text)],
  ['subject', (draft, text) => draft.subject(text)],
  ['identifier', identifier],
  ['uri', identifier],
  ['doi', identifier],
  ['selfdoi', identifier],
  ['isbn', (draft, text) => draft.identifier(text, 'isbn')],
  ['issn', (draft, text) => draft.journal('issn', text)],
  ['jtitle', (draft, text) => draft.journal('title', text)],
  ['volume', (draft, text) => draft.journal('volume', text)],
  ['issue', (draft, text) => draft.journal('issue', text)],
  ['spage', (draft, text) => draft.journal('firstPage', text)],
  ['epage', (draft, text) => draft.journal('lastPage', text)],
]);

/** DSpace notes here by whom and when something was added; those notes are no abstract. */
function describe(draft: Draft, text: string, element: Outline): void {
  if (/^(?:Made available in DSpace|Submitted by|Approved for entry|Rejected by)\b/.test(text.trim())) return;
  draft.abstract(text, languageOf(element), 1);
}

/** Elements right below the root, whatever namespaces they are in. */
export function readDublinCore(root: Outline, draft: Draft): void {
  for (const element of root.children) {
    const { text } = element;
    if (text.trim() !== '') rules.get(element.local.toLowerCase())?.(draft, text, element);
  }
}
