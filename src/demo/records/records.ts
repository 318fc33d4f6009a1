import { addSeconds } from '../../core/datetime.ts';
import { type Person, people } from './people.ts';
import { createFiles } from './sample-files.ts';
import type { SampleRecord } from './sample-record.ts';
import { type Language, languages } from './titles.ts';

export const repositoryName = 'The Sample Repository 見本リポジトリ';
export const repositoryId = 'sample.example.org';
const initialRecords = 300;

/** Legal, and awkward all the same: every consumer meets such identifiers one day. */
const awkward: ReadonlyMap<number, string> = new Map([
  [3, 'science/%E9%9B%A8%E3%81%AE%E5%90%8D%E5%89%8D'],
  [17, 'theses/2021/(draft)+final,really'],
  [42, 'the/answer/../to/everything'],
  [77, "letters/it's;a=b&c=d"],
  [101, 'ark:/99999/fk4~test!'],
  [144, 'bulletin/100%25'],
  [200, '123456789'],
]);

interface Combination {
  readonly language: Language;
  readonly topic: number;
  readonly approach: number;
  readonly round: number;
}

const combinations: readonly Omit<Combination, 'round'>[] = interleave(
  languages.map((language) =>
    language.approaches.flatMap((_, approach) =>
      language.topics.map((_topic, topic) => ({ language, topic, approach })),
    ),
  ),
);

/** The `position`-th record, always the same one. The first come in every language by turns. */
export function createRecord(position: number, datestamp: string): SampleRecord {
  const { language, topic, approach, round } = combinationAt(position);
  const [topicName = '', topicSentence = ''] = language.topics[topic] ?? [];
  const [approachName = '', approachSentence = ''] = language.approaches[approach] ?? [];
  const type = position % 7 === 3 ? 'thesis' : position % 3 === 0 ? 'report' : 'article';
  const setSpecs = setsOf(position, type);
  const name = awkward.get(position) ?? `${setSpecs.at(-1)?.replace(':', '/') ?? 'item'}/${1000 + position}`;
  const cover = {
    position,
    identifier: `oai:${repositoryId}:${name}`,
    title: `${topicName}: ${approachName}${round === 0 ? '' : ` (${round + 1})`}`,
    description: `${topicSentence} ${approachSentence}`,
    creators: creatorsOf(language.code, position),
    language: { code: language.code, iso: language.iso },
    year: 1998 + ((position * 7) % 28),
  };
  const files = createFiles(cover, type, datestamp);
  return {
    ...cover,
    setSpecs,
    datestamp,
    deleted: false,
    type,
    // Without files its page is all there is to link to.
    hasPage: position % 3 !== 1 || files.length === 0,
    files,
  };
}

/** The repository as it is found: years of work, and a dozen withdrawals. */
export function createRecords(count = initialRecords): SampleRecord[] {
  return Array.from({ length: count }, (_, position) => {
    const datestamp = addSeconds('2019-04-01T09:00:00Z', position * 604_813);
    const record = createRecord(position, datestamp);
    return position % 25 === 11
      ? { ...record, deleted: true, datestamp: addSeconds(datestamp, 7_776_000) }
      : record;
  });
}

function combinationAt(position: number): Combination {
  const index = position % combinations.length;
  const found = combinations[index] ?? { language: languages[0] as Language, topic: 0, approach: 0 };
  return { ...found, round: Math.floor(position / combinations.length) };
}

function setsOf(position: number, type: SampleRecord['type']): readonly string[] {
  const faculty = position % 2 === 0 ? 'faculty:letters' : 'faculty:science';
  if (type === 'thesis') return [faculty, 'theses'];
  return position % 4 < 2 ? [faculty] : [faculty, 'journal:bulletin'];
}

function creatorsOf(language: string, position: number): readonly Person[] {
  const authors = people[language] ?? [];
  const first = authors[position % authors.length];
  const guests = Object.values(people)[position % 8] ?? [];
  const second = position % 4 === 1 ? guests[position % guests.length] : undefined;
  return [first, second].filter((person): person is Person => person !== undefined);
}

function interleave<Thing>(lists: readonly (readonly Thing[])[]): Thing[] {
  const mixed: Thing[] = [];
  for (let index = 0; lists.some((list) => index < list.length); index += 1) {
    for (const list of lists) {
      const thing = list[index];
      if (thing !== undefined) mixed.push(thing);
    }
  }
  return mixed;
}
