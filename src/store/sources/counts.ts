import { utcDay } from '../../core/datetime.ts';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';

/** What there was of a source when its last run of a day had ended. */
export interface DayCounts {
  /** `2026-11-21`, in UTC. */
  readonly day: string;
  /** Items that are known here, deleted ones included. */
  readonly items?: number;
  /** Of the last harvest of everything of that day: the records that it read, deleted ones included. */
  readonly records?: number;
  /** The same by the repository's own count; undefined where it says nothing of all of them. */
  readonly stated?: number;
}

const names = ['items', 'records', 'stated'] as const;
type Name = (typeof names)[number];

/** Every day of so many stays; before them, the last one of each week; what is older than so many years goes. */
const everyDays = 90;
const years = 5;

const dayMs = 86_400_000;

/** What a run that has ended leaves of its day, in the place of what an earlier one has left. @param at ISO */
export async function noteCounts(db: Queryable, runId: number, at: string): Promise<void> {
  const row:
    | {
        source_id: number;
        mode: string;
        state: string;
        items: number;
        stated_total: number | string | null;
        item_count: number;
      }
    | undefined = await db('run')
    .join('source', 'source.id', 'run.source_id')
    .where('run.id', runId)
    .first(
      ...['run.source_id', 'run.mode', 'run.state', 'run.items', 'run.stated_total', 'source.item_count'],
    );
  if (!row) return;
  const { source_id, mode, state, items, stated_total, item_count } = row;
  const isWhole = mode === 'full' && (state === 'succeeded' || state === 'needs-attention');
  const counts: Partial<Record<Name, number>> = {
    items: item_count,
    ...(isWhole && { records: items }),
    ...(isWhole && stated_total !== null && { stated: Number(stated_total) }),
  };
  const day = utcDay(at);
  const isKnown = (await db('series').where({ source_id, name: 'items', day }).first('day')) !== undefined;
  // A count of the repository belongs to the records that were read with it.
  if (isKnown && isWhole) await db('series').where({ source_id, name: 'stated', day }).delete();
  await db('series')
    .insert(Object.entries(counts).map(([name, value]) => ({ source_id, name, day, value })))
    .onConflict(['source_id', 'name', 'day'])
    .merge(['value']);
  if (!isKnown) await thin(db, source_id, day);
}

/** Once a day, for there is a new one. */
async function thin(db: Queryable, sourceId: number, today: string): Promise<void> {
  const rows: { name: string; day: string }[] = await db('series')
    .where({ source_id: sourceId })
    .where('day', '<', daysBefore(today, everyDays))
    .orderBy(['name', 'day'])
    .select('name', 'day');
  const oldest = daysBefore(today, years * 365);
  const gone = rows.filter(({ name, day }, index) => {
    const next = rows[index + 1];
    return day < oldest || (next?.name === name && weekOf(next.day) === weekOf(day));
  });
  for (const name of names) {
    const days = gone.filter((row) => row.name === name).map(({ day }) => day);
    if (days.length > 0)
      await db('series')
        .where({ source_id: sourceId, name })
        .modify((query) => whereAnyOf(query, 'day', days))
        .delete();
  }
}

function daysBefore(day: string, days: number): string {
  return new Date(Date.parse(day) - days * dayMs).toISOString().slice(0, 10);
}

/** A number for each, from Monday to Sunday: 1970 began on a Thursday. */
function weekOf(day: string): number {
  return Math.floor((Date.parse(day) / dayMs + 3) / 7);
}

/** Of a source, day by day, the oldest first. @param since a day */
export async function listCounts(db: Queryable, sourceId: number, since = ''): Promise<readonly DayCounts[]> {
  const rows: { name: string; day: string; value: number | string }[] = await db('series')
    .where({ source_id: sourceId })
    .where('day', '>=', since)
    .orderBy(['day', 'name'])
    .select('name', 'day', 'value');
  const days = new Map<string, Record<string, number>>();
  for (const { name, day, value } of rows) {
    const known = days.get(day) ?? {};
    if (names.some((one) => one === name)) known[name] = Number(value);
    days.set(day, known);
  }
  return [...days].map(([day, counts]) => ({ day, ...counts }));
}

/** How many records a harvest of everything read, and the repository has by its own count. */
export interface CountDifference {
  readonly day: string;
  readonly records: number;
  readonly stated: number;
  /** Read beyond its count; negative: they are fewer. */
  readonly difference: number;
}

/** Of the latest day on which both are known. */
export function latestDifference(counts: readonly DayCounts[]): CountDifference | undefined {
  for (const { day, records, stated } of [...counts].reverse())
    if (records !== undefined && stated !== undefined)
      return { day, records, stated, difference: records - stated };
  return undefined;
}
