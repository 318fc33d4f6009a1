import type { JournalPlace } from './description.ts';
import type { Draft } from './draft.ts';
import { below, type Outline, textOf } from './xml-outline.ts';

const dateRanks: ReadonlyMap<string, number> = new Map([
  ['dateIssued', 0],
  ['copyrightDate', 2],
  ['dateCreated', 3],
  ['dateOther', 4],
]);

/** MODS 3. What it says of a host or a part is of another thing, but for the journal that an article is in. */
export function readMods(mods: Outline, draft: Draft): void {
  const titles = below(mods, 'titleInfo');
  for (const info of [...titles.filter(isMain), ...titles.filter((one) => !isMain(one))])
    if (info.attributes.get('type') !== 'abbreviated') draft.title(titleOf(info), languageOf(info));
  for (const name of below(mods, 'name').filter(isCreator))
    draft.creator([{ text: nameOf(name), language: languageOf(name) }]);
  for (const origin of below(mods, 'originInfo')) {
    for (const element of origin.children) {
      const rank = dateRanks.get(element.local);
      if (rank !== undefined) draft.date(element.text, isKey(element) ? rank - 0.25 : rank);
      if (element.local === 'publisher') draft.publisher(element.text);
    }
  }
  for (const { text } of below(mods, 'genre')) draft.type(text);
  for (const { text } of below(mods, 'typeOfResource')) draft.type(text);
  for (const abstract of below(mods, 'abstract')) draft.abstract(abstract.text, languageOf(abstract));
  for (const { text, attributes } of below(mods, 'accessCondition'))
    if (attributes.get('type') !== 'restriction on access') draft.rights(text, attributes.get('href'));
  for (const language of below(mods, 'language'))
    for (const { text } of below(language, 'languageTerm')) draft.language(text);
  for (const subject of below(mods, 'subject'))
    for (const { text } of below(subject, 'topic')) draft.subject(text);
  for (const { text, attributes } of below(mods, 'identifier')) {
    const kind = attributes.get('type');
    if (attributes.get('invalid') !== 'yes')
      draft.identifier(isHandle(kind, text) ? `hdl:${text.trim()}` : text, kind);
  }
  for (const host of below(mods, 'relatedItem').filter(({ attributes }) => attributes.get('type') === 'host'))
    readHost(host, draft);
}

function readHost(host: Outline, draft: Draft): void {
  const issn = below(host, 'identifier').find(({ attributes }) => attributes.get('type') === 'issn');
  const part = below(host, 'part')[0];
  // A collection or a finding aid is a host, too.
  if (!issn && !part) return;
  const title = below(host, 'titleInfo')[0];
  if (title) draft.journal('title', titleOf(title));
  if (issn) draft.journal('issn', issn.text);
  for (const detail of part ? below(part, 'detail') : []) {
    const kind = detail.attributes.get('type');
    const to: keyof JournalPlace | undefined = kind === 'volume' || kind === 'issue' ? kind : undefined;
    if (to) draft.journal(to, textOf(below(detail, 'number')[0]));
  }
  for (const extent of part ? below(part, 'extent') : []) {
    draft.journal('firstPage', textOf(below(extent, 'start')[0]));
    draft.journal('lastPage', textOf(below(extent, 'end')[0]));
  }
}

function isMain({ attributes }: Outline): boolean {
  return !attributes.has('type');
}

function isKey({ attributes }: Outline): boolean {
  return attributes.get('keyDate') === 'yes';
}

function isHandle(kind: string | undefined, text: string): boolean {
  return /^(?:hdl|handle)$/i.test(kind ?? '') && !/^(?:https?|hdl|info):/i.test(text.trim());
}

function languageOf({ attributes }: Outline): string | undefined {
  return attributes.get('lang');
}

function titleOf(info: Outline): string {
  const part = (name: string) => textOf(below(info, name)[0]).trim();
  const article = part('nonSort');
  const whole = `${article}${article === '' || /['’-]$/.test(article) ? '' : ' '}${part('title')}`;
  const rest = [part('subTitle'), part('partNumber'), part('partName')].filter((one) => one !== '');
  return [whole, ...rest].join(': ');
}

/** Who has no role is a creator; an editor, an owner or a supervisor is not. */
function isCreator(name: Outline): boolean {
  const roles = below(name, 'role').flatMap((role) => below(role, 'roleTerm'));
  return (
    roles.length === 0 || roles.some(({ text }) => /^(?:aut|cre|author|creator|著者)$/i.test(text.trim()))
  );
}

function nameOf(name: Outline): string {
  const parts = below(name, 'namePart');
  const of = (type: string) =>
    parts.find(({ attributes }) => attributes.get('type') === type)?.text.trim() ?? '';
  const apart = [of('family'), of('given')].filter((part) => part !== '').join(', ');
  if (apart !== '') return apart;
  const plain = parts.filter(({ attributes }) => !attributes.has('type')).map(({ text }) => text.trim());
  return plain.join(' ') || textOf(below(name, 'displayForm')[0]);
}
