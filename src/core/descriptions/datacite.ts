import type { Draft } from './draft.ts';
import { below, type Outline, textOf } from './xml-outline.ts';

const dateRanks: ReadonlyMap<string, number> = new Map([
  ['Issued', 0],
  ['Created', 3],
  ['Available', 4],
  ['Submitted', 5],
]);

/** DataCite 2 to 4, and the literature guidelines of OpenAIRE, which are made of it. */
export function readDatacite(resource: Outline, draft: Draft): void {
  const inAll = (list: string, name: string) =>
    below(resource, list).flatMap((element) => below(element, name));
  const titles = inAll('titles', 'title');
  // Subtitles and translations follow the title itself, wherever they stand.
  for (const { text, attributes } of [...titles.filter(isMain), ...titles.filter((one) => !isMain(one))])
    if (attributes.get('titleType') !== 'Subtitle') draft.title(text, attributes.get('lang'));
  for (const creator of inAll('creators', 'creator')) draft.creator(namesOf(creator));
  for (const { text } of below(resource, 'publicationYear')) draft.date(text, 1);
  for (const { text, attributes } of [...inAll('dates', 'date'), ...below(resource, 'date')])
    draft.date(text, dateRanks.get(attributes.get('dateType') ?? '') ?? 6);
  for (const { text, attributes } of below(resource, 'resourceType')) {
    draft.type(text);
    draft.type(attributes.get('resourceTypeGeneral') ?? '');
  }
  for (const { text, attributes } of [
    ...inAll('descriptions', 'description'),
    ...below(resource, 'description'),
  ])
    draft.abstract(
      text,
      attributes.get('lang'),
      (attributes.get('descriptionType') ?? 'Abstract') === 'Abstract' ? 0 : 1,
    );
  for (const { text, attributes } of [
    ...inAll('rightsList', 'rights'),
    ...below(resource, 'licenseCondition', 'rights'),
  ])
    draft.rights(text, attributes.get('rightsURI') ?? attributes.get('uri'));
  for (const { text } of below(resource, 'publisher')) draft.publisher(text);
  for (const { text } of below(resource, 'language')) draft.language(text);
  for (const { text } of [...inAll('subjects', 'subject'), ...below(resource, 'subject')])
    draft.subject(text);
  for (const { text, attributes } of below(resource, 'identifier'))
    draft.identifier(text, attributes.get('identifierType'));
}

function isMain({ attributes }: Outline): boolean {
  return !attributes.has('titleType');
}

function namesOf(creator: Outline) {
  const name = below(creator, 'creatorName')[0];
  const parts = [below(creator, 'familyName')[0], below(creator, 'givenName')[0]];
  const text = textOf(name).trim() || parts.flatMap((part) => part?.text.trim() || []).join(', ');
  return [{ text, language: name?.attributes.get('lang') }];
}
