import type { Database } from '../../../src/store/engine/database.ts';
import { factOfChange, versionOfChange } from '../../../src/store/rows/change-facts.ts';
import { type Entry, entriesIn, locsIn } from '../publish/list-entries.ts';

interface Change {
  readonly seq: number;
  readonly at: string;
  readonly kind: 'created' | 'updated' | 'deleted';
  readonly path: string;
  readonly hash: string | null;
}

/**
 * No change lost, repeated or out of order: the journal counts without a gap, goes on in time, tells of each resource
 * a life that can be lived, and leads to what there is.
 * @returns what is wrong, a sentence each
 */
export async function wrongInJournal(
  database: Database,
  source: string,
  truth: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const wrong: string[] = [];
  const there = new Map<string, string | null>();
  let last: Change | undefined;
  for (const change of await journalOf(database, source)) {
    const { seq, at, kind, path, hash } = change;
    const say = (what: string) => wrong.push(`${source} ${seq}: ${path} ${what}`);
    if (seq !== (last?.seq ?? 0) + 1) say(`comes after ${last?.seq}`);
    if (last && at < last.at) say(`is of ${at}, before ${last.at}`);
    if (kind === 'created' && there.has(path)) say('is created again');
    if (kind !== 'created' && !there.has(path)) say(`is ${kind}, and is not there`);
    if (kind === 'updated' && there.get(path) === hash) say('is updated to what it was');
    if (kind === 'deleted') there.delete(path);
    else there.set(path, hash);
    last = change;
  }
  for (const [path, hash] of truth)
    if (there.get(path) !== hash) wrong.push(`${path} is ${there.get(path)}, not ${hash}`);
  for (const path of there.keys()) if (!truth.has(path)) wrong.push(`${path} is not there any more`);
  return wrong;
}

function lived(changes: readonly (Change & { readonly loc: string })[]): ReadonlyMap<string, string | null> {
  const there = new Map<string, string | null>();
  for (const { kind, loc, hash } of changes) {
    if (kind === 'deleted') there.delete(loc);
    else there.set(loc, hash);
  }
  return there;
}

async function journalOf({ reader }: Database, source: string): Promise<readonly Change[]> {
  return reader('change')
    .join('source', 'source.id', 'change.source_id')
    .join('resource', (both) =>
      both.on('resource.id', 'change.resource_id').andOn('resource.source_id', 'change.source_id'),
    )
    .leftJoin('version', versionOfChange)
    .where('source.name', source)
    .orderBy('change.seq')
    .select(
      'change.seq',
      'change.at',
      'change.kind',
      'resource.path',
      reader.raw(`${factOfChange('hash')} as hash`),
    );
}

export interface Reader {
  /** Where it asks. */
  readonly url: string;
  /** What addresses in lists begin with. */
  readonly base: string;
}

/** The Change Lists are the journal, each change once and in its order, and lead a client to what there is. */
export async function wrongInLists(
  database: Database,
  source: string,
  reader: Reader,
): Promise<readonly string[]> {
  const changes = (await journalOf(database, source)).map((change) => ({
    ...change,
    loc: `${reader.base}/${change.path}`,
  }));
  const index = locsIn(await textOf(reader, `${source}/changelist-index.xml`));
  const listed: string[] = [];
  for (const loc of index.filter((one) => one.includes('/changelist/')))
    listed.push(...entriesIn(await textOf(reader, loc.slice(reader.base.length + 1))).map(lineOf));
  const journal = changes.map(({ kind, ...change }) => lineOf({ ...change, change: kind }));
  // What was before the first list is in the Resource List.
  const told = journal.slice(journal.length - listed.length);
  const other = listed.findIndex((line, place) => line !== told[place]);
  if (other >= 0) return [`${source}, listed change ${other + 1}: ${listed[other]}, not ${told[other]}`];
  if (listed.length === 0) return [`${source}: no change is listed`];
  const list = await textOf(reader, `${source}/resourcelist.xml`);
  const flat = entriesIn(await textOf(reader, `${source}/changelist.xml`));
  return wrongForClient(list, flat, lived(changes));
}

function lineOf({ loc, change, hash }: { loc: string; change?: string; hash?: string | null }): string {
  return `${change} ${loc} ${change === 'deleted' ? '' : hash}`;
}

async function textOf({ url }: Reader, path: string): Promise<string> {
  const response = await fetch(`${url}/${path}`);
  if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
  return response.text();
}

/** Who takes the Resource List, and then what has changed since, has what there is. */
function wrongForClient(
  list: string,
  changes: readonly Entry[],
  truth: ReadonlyMap<string, string | null>,
): readonly string[] {
  const at = /<rs:md\b[^>]*\bat="([^"]+)"/.exec(list)?.[1] ?? '';
  const holds = new Map(entriesIn(list).map(({ loc, hash }) => [loc, hash ?? null]));
  for (const { loc, change, datetime = '', hash } of changes) {
    if (datetime < at) continue;
    if (change === 'deleted') holds.delete(loc);
    else holds.set(loc, hash ?? null);
  }
  const wrong = [...truth].filter(([loc, hash]) => holds.get(loc) !== hash).map(([loc]) => loc);
  wrong.push(...[...holds.keys()].filter((loc) => !truth.has(loc)));
  return wrong.map((loc) => `a client does not have ${loc} as it is`);
}
