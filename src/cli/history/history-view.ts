import type { Aside, ContentChange, ContentComparison } from '../../core/comparison/comparison.ts';
import { countOf } from '../../core/count-of.ts';
import type { PastGap, PastVersion, ResourcePast } from '../../core/time/resource-past.ts';
import { itemPath, mementoUri, timeGateUri, timeMapUri, toUri } from '../../core/uris.ts';
import type { ResourceHistory } from '../../store/history/timelines.ts';
import type { StoredItem } from '../../store/reading/items.ts';
import type { CommandIo } from '../terminal/io.ts';
import { createPaint, type Paint, printable, printableJson, shortened } from '../terminal/terminal-text.ts';
import type { VersionDifference } from './history-difference.ts';

export interface HistoryView {
  readonly baseUrl: string;
  readonly json: boolean;
  readonly all: boolean;
  /** Why the server hands out nothing of this past; undefined: it does. */
  readonly withheld: string | undefined;
}

/** So many versions are shown; the others are counted. */
const versionsShown = 100;

/** The versions of a resource, oldest first, with the times when there was nothing. */
export function printHistory(
  history: ResourceHistory,
  past: ResourcePast,
  { baseUrl, json, all, withheld }: HistoryView,
  io: CommandIo,
): void {
  const uri = toUri(baseUrl, history.path);
  const addressOf: AddressOf = (from) =>
    withheld === undefined ? mementoUri(baseUrl, uri, from) : undefined;
  if (json) {
    const { source, identifier, kind, format, deletedAt } = history;
    const links = withheld === undefined && {
      timegate: timeGateUri(baseUrl, uri),
      timemap: timeMapUri(baseUrl, uri),
    };
    print(
      io,
      printableJson({ resource: { uri, source, identifier, kind, format, deletedAt, withheld, ...links } }),
    );
    for (const step of inOrder(past)) {
      const { number } = step as Partial<PastVersion>;
      if (number === undefined) print(io, printableJson({ deleted: step }));
      else
        print(
          io,
          printableJson({ version: { ...step, memento: mementoOf(step as PastVersion, addressOf) } }),
        );
    }
    return;
  }
  const paint = createPaint(io);
  const { versions } = past;
  const { identifier, source, format, deletedAt } = history;
  const state = deletedAt === undefined ? '' : `, deleted at ${deletedAt}`;
  print(io, `${printable(uri)}\n${printable(format)} of ${printable(identifier)} (${source})${state}`);
  if (withheld !== undefined) print(io, `  ${withheld}`);
  const steps = inOrder(past);
  const shown = all ? steps : steps.slice(-versionsShown);
  if (shown.length < steps.length) print(io, `  … ${steps.length - shown.length} earlier ones (--all)`);
  const width = String(versions.length).length;
  const rows = shown.map((step) => toRow(step, addressOf));
  const widths = rows.reduce<number[]>(
    (most, row) => row.cells.map((cell, index) => Math.max(most[index] ?? 0, cell.length)),
    [],
  );
  for (const { number, cells, end, faint } of rows) {
    const line = cells.map((cell, index) =>
      index === 2 ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0),
    );
    const text = `  ${number.padStart(width)}  ${line.join('  ')}  ${end}`.trimEnd();
    print(io, faint ? paint('dim', text) : text);
  }
  if (versions.length === 0) print(io, '  no version of it was stored');
}

/** Of the memento of a moment; undefined: it would not be handed out. */
type AddressOf = (from: string) => string | undefined;
type Step = PastVersion | PastGap;

function inOrder({ versions, gaps }: ResourcePast): readonly Step[] {
  const isVersion = (step: Step) => Number('number' in step);
  // What was deleted within the second of its creation comes after it.
  return [...versions, ...gaps].sort(
    (a, b) => Number(a.from > b.from) - Number(a.from < b.from) || isVersion(b) - isVersion(a),
  );
}

interface Row {
  readonly number: string;
  readonly cells: readonly string[];
  readonly end: string;
  readonly faint: boolean;
}

function toRow(step: Step, addressOf: AddressOf): Row {
  const until = step.until ?? 'now';
  if (!('number' in step)) {
    return { number: '-', cells: [step.from, until, '', '', '', 'deleted'], end: '', faint: true };
  }
  const { number, from, length, mediaType = '', hash = '', origin } = step;
  const size = length === undefined ? '?' : String(length);
  const digest = printable(hash).replace(/^([^:]+:.{12}).*$/, '$1');
  const cells = [
    from,
    until,
    size,
    printable(mediaType),
    digest,
    origin === 'journal' ? 'seen here' : 'told by the repository',
  ];
  return {
    number: String(number),
    cells,
    end: describePlace(step, addressOf),
    faint: step.state === 'dropped',
  };
}

function describePlace(version: PastVersion, addressOf: AddressOf): string {
  const { state, droppedAt } = version;
  if (state === 'dropped') return `given up at ${droppedAt}`;
  if (state === 'lost') return 'its bytes were not kept';
  return printable(mementoOf(version, addressOf) ?? '');
}

function mementoOf({ state, from }: PastVersion, addressOf: AddressOf): string | undefined {
  return state === 'kept' || state === 'elsewhere' ? addressOf(from) : undefined;
}

/** The resources of an item, and how to go on. */
export function printItem(item: StoredItem, baseUrl: string, json: boolean, io: CommandIo): void {
  const { source, identifier, resources } = item;
  const uri = toUri(baseUrl, itemPath(source, identifier));
  if (json) {
    print(io, printableJson({ item: { uri, source, identifier } }));
    for (const { path, kind, format, lastmod, deletedAt } of resources) {
      print(io, printableJson({ resource: { uri: toUri(baseUrl, path), kind, format, lastmod, deletedAt } }));
    }
    return;
  }
  print(
    io,
    `${uri}\n${printable(identifier)} (${source}) is an item: ${countOf(resources.length, 'resource')}`,
  );
  for (const { path, format, lastmod, deletedAt } of resources) {
    const state = deletedAt === undefined ? lastmod : `deleted at ${deletedAt}`;
    print(io, `  ${printable(toUri(baseUrl, path))}  ${printable(format)}, ${state}`);
  }
  const [first] = resources;
  if (first)
    print(io, `The versions of one of them: rsbridge history ${printable(toUri(baseUrl, first.path))}`);
}

const asides: Readonly<Record<Aside, string>> = {
  whitespace: 'white space differs, too',
  comments: 'comments or processing instructions differ, too',
  writing: 'it says the same, and is written differently (prefixes, quotes, order, references)',
};

const onlyAsides: Readonly<Record<Aside, string>> = {
  ...asides,
  whitespace: 'only white space differs',
  comments: 'only comments or processing instructions differ',
};

export function printDifference(difference: VersionDifference, json: boolean, io: CommandIo): void {
  const { pair, comparison, damage } = difference;
  const [before, after] = pair;
  if (json) {
    const between = { from: before.number, to: after.number };
    print(io, printableJson({ difference: { ...between, damaged: damage, ...comparison } }));
    return;
  }
  const paint = createPaint(io);
  print(io, `\nFrom version ${before.number} (${before.from}) to version ${after.number} (${after.from}):`);
  if (damage) {
    print(io, `  version ${damage.number} is damaged: ${printable(damage.message)}`);
    print(io, '  `rsbridge check --blobs` finds everything that is, and says what to do.');
    return;
  }
  if (!comparison) {
    for (const line of describeFacts(before, after)) print(io, `  ${line}`);
    return;
  }
  for (const change of comparison.changes) print(io, `  ${describeChange(change, comparison, paint)}`);
  const hidden = comparison.count - comparison.changes.length;
  if (hidden > 0) print(io, `  … ${countOf(hidden, 'more difference')} (--all)`);
  const sentences = comparison.count === 0 ? onlyAsides : asides;
  for (const aside of comparison.asides) print(io, `  ${paint('dim', sentences[aside])}`);
}

/** Why the bytes of a version are not here. */
export function describeAbsence({ number, state, elsewhere, droppedAt }: PastVersion): string {
  if (state === 'elsewhere') return `the bytes of version ${number} are not here but at ${elsewhere}`;
  if (state === 'dropped') return `version ${number} was given up at ${droppedAt}, as mementos.keep asks for`;
  return `the bytes of version ${number} were not kept`;
}

/** Of what is neither XML nor JSON, or not here, or too large. */
function describeFacts(before: PastVersion, after: PastVersion): readonly string[] {
  if (before.hash !== undefined && before.hash === after.hash) return ['the same bytes'];
  const rows = [
    ['length', before.length, after.length],
    ['hash', before.hash, after.hash],
    ['type', before.mediaType, after.mediaType],
  ] as const;
  const changed = rows.filter(([, old, now]) => old !== now);
  const absent = [before, after].filter(({ state }) => state !== 'kept').map(describeAbsence);
  const reason = absent.length > 0 ? absent.join('; ') : 'it is neither XML nor JSON that can be compared';
  return [
    ...changed.map(([name, old, now]) => `~ ${name}: ${printable(`${old ?? '?'} -> ${now ?? '?'}`)}`),
    printable(`No more can be said: ${reason}.`),
  ];
}

const valueLength = 160;
const pathLength = 240;

function describeChange(change: ContentChange, { language }: ContentComparison, paint: Paint): string {
  const { kind, path, before, after, size } = change;
  const shown = (value: string | undefined) => {
    if (value === undefined) return '';
    const text = shortened(language === 'xml' ? value.trim() : value, valueLength);
    return language === 'xml' ? `"${text}"` : text;
  };
  const place = path === '' ? '(root)' : shortened(path, pathLength);
  const parts = size === undefined ? '' : ` (${size} ${language === 'xml' ? 'elements' : 'values'})`;
  switch (kind) {
    case 'added':
      return paint('green', `+ ${place} ${shown(after)}${parts}`);
    case 'removed':
      return paint('red', `- ${place} ${shown(before)}${parts}`);
    case 'changed':
      return paint('yellow', `~ ${place}: ${shown(before)} -> ${shown(after)}`);
    case 'moved':
      return size === undefined
        ? `> ${place} ${shown(after)} moved`
        : `> ${place}: ${size} of its children moved`;
  }
}

function print(io: CommandIo, text: string): void {
  io.stdout.write(`${text}\n`);
}
