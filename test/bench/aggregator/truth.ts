import { createHash } from 'node:crypto';
import type pg from 'pg';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { wrongInJournal } from '../../house/faults/promises.ts';
import { entriesIn } from '../../house/publish/list-entries.ts';
import type { EndpointPlan } from './plans.ts';

/** Path to hash, of all that there is at the repositories. */
export type Truth = ReadonlyMap<string, string>;

/** What is not held as it is, and what is held and is not there. @param holds path to hash */
export function wrongPaths(truth: Truth, holds: ReadonlyMap<string, string>): readonly string[] {
  const wrong = [...truth].flatMap(([path, hash]) => (holds.get(path) === hash ? [] : [path]));
  return [...wrong, ...[...holds.keys()].filter((path) => !truth.has(path))];
}

/** How many of these paths each endpoint has, those with most first, with what is odd about it. */
export function byEndpoint(plans: readonly EndpointPlan[], paths: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const name = path.split('/', 1)[0] ?? '';
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const first = [...counts].sort(([, a], [, b]) => b - a).slice(0, 12);
  return first.map(([name, count]) => {
    const { size, latencyMs, quirk } = plans.find((plan) => plan.name === name) ?? {};
    return `${name} (${quirk}, ${size} records, ${latencyMs} ms): ${count}`;
  });
}

const readAtOnce = 8;
const toldAtMost = 5;

/** Whether the bytes that are served are those of the repositories. @returns what is not, some of it */
export async function wrongPayloads(truth: Truth, bases: readonly string[]): Promise<readonly string[]> {
  const wrong: string[] = [];
  const left = truth.entries();
  const read = async (base: string) => {
    for (const [path, hash] of left) {
      const url = `${base}/${path.split('/').map(encodeURIComponent).join('/')}`;
      const now = await readHash(url).catch(String);
      if (now !== hash) wrong.push(`${path}: ${now}`);
    }
  };
  const turns = Array.from({ length: readAtOnce }, (_, index) => bases[index % bases.length] ?? '');
  await Promise.all(turns.map(read));
  return [`${wrong.length} of ${truth.size}`, ...wrong.slice(0, toldAtMost)];
}

/** @returns the hash of its bytes, or its status where that is not 200 */
async function readHash(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(60_000) });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) return String(response.status);
  return `sha-256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** The Change Lists of `/all` from their beginning: in order of time, and nothing twice. */
export async function wrongInChangeLists(base: string): Promise<readonly string[]> {
  const index = await fetch(`${base}/all/changelist-index.xml`).then((response) => response.text());
  const last = new Map<string, string>();
  const wrong: string[] = [];
  let [before, changes] = ['', 0];
  for (const [, loc = ''] of index.matchAll(/<loc>([^<]*\/all\/changelist\/[^<]*)<\/loc>/g)) {
    const text = await fetch(`${base}${new URL(loc).pathname}`).then((response) => response.text());
    for (const { loc: uri, change, datetime = '', hash } of entriesIn(text)) {
      changes += 1;
      const now = `${change === 'deleted' ? 'deleted' : 'there'} ${hash}`;
      if (datetime < before) wrong.push(`${uri}: ${datetime} after ${before}`);
      if (last.get(uri) === now) wrong.push(`${uri}: ${change} twice`);
      last.set(uri, now);
      before = datetime;
    }
  }
  return [`${wrong.length} of ${changes}`, ...wrong.slice(0, toldAtMost)];
}

/** The journal of each source, and that of the set over all: nothing lost, repeated or out of order. */
export async function wrongInJournals(
  truth: Truth,
  sources: readonly string[],
  pool: pg.Pool,
  url: string,
): Promise<readonly string[]> {
  const bySource = new Map(sources.map((name) => [name, new Map<string, string>()]));
  for (const [path, hash] of truth) bySource.get(path.split('/', 1)[0] ?? '')?.set(path, hash);
  const database = openDatabase({ client: 'pg', url, poolSize: 2 });
  const wrong: string[] = [];
  try {
    for (const [name, own] of bySource) wrong.push(...(await wrongInJournal(database, name, own)));
  } finally {
    await database.close();
  }
  const { rows } = await pool.query(
    `select source_id, seq, source_seq, changes,
      source_seq - lag(source_seq) over (partition by joint_id, source_id order by seq) as gone_on,
      seq - lag(seq) over (partition by joint_id order by seq) as counted
      from joint_step`,
  );
  for (const { source_id, seq, gone_on, counted, changes } of rows)
    if (
      (gone_on !== null && Number(gone_on) !== Number(changes)) ||
      (counted !== null && Number(counted) !== Number(changes))
    )
      wrong.push(`the set at ${seq}: ${changes} changes of source ${source_id}, ${gone_on} in its journal`);
  return [`${wrong.length}`, ...wrong.slice(0, toldAtMost)];
}
