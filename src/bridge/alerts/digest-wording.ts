import { toIso } from '../../core/datetime.ts';
import { plainText } from '../../core/descriptions/plain-text.ts';
import type { SharedSource } from '../../server/deps.ts';
import { type DigestWords, digestWords } from '../../server/words/digest.ts';
import { createReader, type Reader } from '../../server/words/reader.ts';
import { shareDays } from '../../store/alerts/share-links.ts';
import type { DigestContent } from './digest-content.ts';
import { nameFor, type Speaker, type WordedMessage } from './wording.ts';

const namesInSubject = 3;
const longestReason = 300;
/** Those with something to do come first, so that nobody has to look for them among many. */
const isWell = ({ word, unreadable, vanished, refusedSince }: SharedSource) =>
  word !== 'failed' && word !== 'attention' && unreadable + vanished === 0 && refusedSince === undefined;

/**
 * A digest as plain text, in the language of the contact.
 * @param from whom to answer to
 * @param links by the names of sources; none where it is only looked at
 */
export function wordDigest(
  content: DigestContent,
  speaker: Speaker,
  from: string,
  links: ReadonlyMap<string, string> = new Map(),
): WordedMessage {
  const words = digestWords[content.language];
  const reader = createReader(content.language, speaker.timeZone);
  const title = nameFor(speaker.title);
  const sources = [...content.sources.filter((one) => !isWell(one)), ...content.sources.filter(isWell)];
  const wanting = sources.filter((one) => !isWell(one)).length;
  const names = [
    ...sources.slice(0, namesInSubject).map((source) => nameFor(source.title)),
    ...(sources.length > namesInSubject ? [words.more(reader.count(sources.length - namesInSubject))] : []),
  ].join(words.comma);
  const subject = words.subject(title, names);
  const parts = [
    sources.length === 1
      ? words.greeting(title)
      : words.greetingOfSeveral(title, words.repositories(sources.length)),
    ...sources.map((source) => {
      const link = links.get(source.name);
      const part = partOf(source, words, reader, speaker, toIso(new Date(content.at)));
      return link === undefined ? part : `${part}\n${words.shared(link, words.days(shareDays))}`;
    }),
    `-- \n${words.footer(title, speaker.baseUrl)}\n${words.why(from)}`,
  ];
  return {
    subject: `${subject}${wanting > 0 ? words.needing(words.repositories(wanting)) : ''}`,
    text: `${parts.join('\n\n')}\n`,
  };
}

function partOf(
  source: SharedSource,
  words: DigestWords,
  { count, time, age }: Reader,
  { baseUrl }: Speaker,
  now: string,
): string {
  const { name, title, word, reason, lastSuccessAt, nextRunAt, unreadable, vanished, refusedSince } = source;
  const heading = nameFor(title);
  const told = reason === undefined ? undefined : plainText(reason, longestReason);
  const lines = [
    heading,
    '='.repeat(Math.max(4, heading.length)),
    words.state[word],
    told === undefined ? undefined : words.reason(told),
    lastSuccessAt === undefined ? words.never : words.last(time(lastSuccessAt), age(lastSuccessAt, now)),
    nextRunAt === undefined ? undefined : words.next(time(nextRunAt)),
    words.holdings(words.items(source.items), words.resources(source.resources)),
    words.changes(count(source.changes)),
    ...(unreadable === 0 ? [] : [words.unreadable(count(unreadable))]),
    ...source.problems.map(({ identifier, message }) => {
      const of = identifier === undefined ? words.noIdentifier : plainText(identifier, longestReason);
      return `  * ${of}: ${plainText(message, longestReason) ?? ''}`;
    }),
    ...(unreadable > source.problems.length && source.problems.length > 0
      ? [`  * ${words.more(count(unreadable - source.problems.length))}`]
      : []),
    vanished === 0 ? undefined : words.vanished(count(vanished)),
    refusedSince === undefined ? undefined : words.refused(time(refusedSince)),
    word === 'new' ? undefined : words.published(`${baseUrl}/${name}/about`),
  ];
  return lines.filter((line) => line !== undefined).join('\n');
}
