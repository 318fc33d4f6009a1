import type { AlertEntry } from '../../core/alerts/alert.ts';
import { toIso } from '../../core/datetime.ts';
import { plainText } from '../../core/descriptions/plain-text.ts';
import type { Language } from '../../server/words/language.ts';
import { createReader, type Reader } from '../../server/words/reader.ts';
import type { AlertContent, Section } from './content.ts';
import { type AlertWords, alertWords } from './words.ts';

/** Where a message comes from, and in which words it speaks. */
export interface Speaker {
  readonly title: string;
  readonly baseUrl: string;
  /** Of the dashboard; undefined: it is not at the public address. */
  readonly dashboard: string | undefined;
  readonly language: Language;
  readonly timeZone: string;
}

export interface WordedMessage {
  readonly subject: string;
  readonly text: string;
}

const namesInSubject = 3;
const longestName = 60;
const longestReason = 300;
/** From so many on they are counted by their cause first. */
const manyOfAKind = 10;

/** A message for people, as plain text: what is new, what has recovered, what is still wrong. */
export function wordMessage(content: AlertContent, speaker: Speaker): WordedMessage {
  const words = alertWords[speaker.language];
  const reader = createReader(speaker.language, speaker.timeZone);
  const title = nameFor(speaker.title);
  const footer = `-- \n${words.footer(title, speaker.baseUrl)}`;
  if (content.kind === 'test')
    return { subject: words.subject(title, words.test), text: `${words.testText}\n\n${footer}\n` };
  const teller = new Teller(words, reader, speaker, content.at);
  const { firing, recovered, lasting, isReminder } = content;
  const parts = [
    teller.section(words.headings.firing, firing, (entry) => teller.firing(entry)),
    teller.section(words.headings.recovered, recovered, (entry) => teller.recovered(entry)),
    isReminder
      ? teller.section(words.headings.lasting, lasting, (entry) => teller.firing(entry))
      : lasting.total > 0
        ? words.stillWrong(words.problems(lasting.total))
        : undefined,
    speaker.dashboard && words.details(speaker.dashboard),
    footer,
  ];
  return {
    subject: words.subject(title, teller.subject(content)),
    text: `${parts.filter((part) => part !== undefined).join('\n\n')}\n`,
  };
}

/** What others call themselves, on one line. */
export function nameFor(title: string): string {
  return plainText(title, longestName) ?? '?';
}

class Teller {
  readonly #words: AlertWords;
  readonly #reader: Reader;
  readonly #speaker: Speaker;
  readonly #at: number;

  constructor(words: AlertWords, reader: Reader, speaker: Speaker, at: number) {
    this.#words = words;
    this.#reader = reader;
    this.#speaker = speaker;
    this.#at = at;
  }

  subject({ firing, recovered, lasting }: Extract<AlertContent, { kind: 'alert' }>): string {
    const words = this.#words;
    if (firing.total > 0) return words.firing(words.problems(firing.total), this.#names(firing));
    if (recovered.total > 0) return words.recovered(this.#names(recovered));
    return words.reminding(words.problems(lasting.total));
  }

  #names({ entries, total }: Section): string {
    const { comma, more } = this.#words;
    const names = entries.slice(0, namesInSubject).map((entry) => this.#title(entry));
    const others = total - names.length;
    return [...names, ...(others > 0 ? [more(this.#reader.count(others))] : [])].join(comma);
  }

  section(
    heading: string,
    { entries, total, causes }: Section,
    tell: (entry: AlertEntry) => readonly string[],
  ): string | undefined {
    if (total === 0) return undefined;
    const { more, byCause, sources } = this.#words;
    const { count } = this.#reader;
    const harvests = causes.reduce((sum, { total }) => sum + total, 0);
    const summary =
      harvests >= manyOfAKind
        ? [byCause(sources(harvests)), ...causes.map(({ code, total }) => `  ${code}: ${count(total)}`), '']
        : [];
    const lines = entries.flatMap((entry) => [
      `* ${this.#name(entry)}`,
      ...tell(entry).map((line) => `  ${line}`),
    ]);
    const others = total - entries.length;
    return [
      heading,
      '='.repeat(Math.max(4, heading.length)),
      ...summary,
      ...lines,
      ...(others > 0 ? [`* ${more(count(others))}`] : []),
    ].join('\n');
  }

  /** In a sentence or two. */
  firing(entry: AlertEntry): readonly string[] {
    const { reason, code, host, askedAt, resting, restsUntil, restsFor = '' } = entry.facts;
    const { dashboard } = this.#speaker;
    const told = typeof reason === 'string' ? plainText(reason, longestReason) : undefined;
    const isOfSource = ['harvest', 'deletions', 'files', 'records'].includes(entry.kind);
    return [
      this.#what(entry),
      ...(told === undefined ? [] : [this.#words.reason(code ? `${told} [${code}]` : told)]),
      ...(typeof host === 'string' ? [this.#words.unanswered(host, this.#time(Number(askedAt)))] : []),
      ...(typeof resting === 'string'
        ? [this.#words.resting(resting, this.#time(Number(restsUntil)), String(restsFor))]
        : []),
      ...(entry.relapses > 1 ? [this.#words.relapses] : []),
      ...(dashboard && isOfSource ? [this.#linkTo(entry, `${dashboard}/sources/${entry.subject}`)] : []),
    ];
  }

  #linkTo({ kind }: AlertEntry, url: string): string {
    return kind === 'deletions' ? this.#words.decide(url) : url;
  }

  recovered({ since, until = this.#at }: AlertEntry): readonly string[] {
    return [this.#words.until(this.#time(since), this.#time(until), this.#duration(until - since))];
  }

  #what({ kind, subject, since, facts }: AlertEntry): string {
    const { kinds, sources } = this.#words;
    const { size, count } = this.#reader;
    const [time, duration] = [this.#time(since), this.#duration(this.#at - since)];
    switch (kind) {
      case 'database':
        return kinds.database(time);
      case 'disk': {
        const { free = 0, total = 1 } = facts;
        const share = Math.floor((100 * Number(free)) / Number(total));
        return kinds.disk(size(Number(free)), count(share));
      }
      case 'harvest':
        if (facts.ahead) return kinds.datedAhead(this.#time(Number(facts.ahead)));
        return facts.never ? kinds.neverHarvested(time, duration) : kinds.harvest(time, duration);
      case 'queue':
        return kinds.queue(sources(Number(facts.sources)), time);
      case 'deletions':
        return kinds.deletions(plainText(String(facts.message), longestReason) ?? '', subject);
      case 'files':
        return kinds.files(time, subject);
      case 'publication':
        return kinds.publication(time, duration);
      case 'records':
        return kinds.records(count(Number(facts.from)), count(Number(facts.to)), subject);
      case 'backup':
        return kinds.backup(time, duration);
    }
  }

  #name(entry: AlertEntry): string {
    const title = this.#title(entry);
    const isNamed = ['harvest', 'deletions', 'files', 'publication', 'records'].includes(entry.kind);
    return isNamed ? this.#words.nameOf(title, entry.subject) : title;
  }

  #title({ kind, subject, title }: AlertEntry): string {
    const words = this.#words;
    if (kind === 'database' || kind === 'backup' || kind === 'queue') return words[kind];
    return kind === 'disk' ? (words.disks[subject] ?? subject) : nameFor(title);
  }

  #time(moment: number): string {
    return this.#reader.time(toIso(new Date(moment)));
  }

  #duration(milliseconds: number): string {
    return durationIn(this.#words, milliseconds);
  }
}

/** `2 days 3 hours`, `5 hours 20 minutes`, `12 minutes`. */
export function durationIn(words: AlertWords, milliseconds: number): string {
  const minutes = Math.floor(Math.max(0, milliseconds) / 60_000);
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60)];
  const parts = [
    ...(days > 0 ? [words.days(days)] : []),
    ...(hours > 0 ? [words.hours(hours)] : []),
    ...(days === 0 && minutes % 60 > 0 ? [words.minutes(minutes % 60)] : []),
  ];
  return parts.length === 0 ? words.lessThanAMinute : parts.join(words.and);
}
