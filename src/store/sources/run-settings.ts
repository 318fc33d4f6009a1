import { isDeepStrictEqual } from 'node:util';
import type { Queryable } from '../engine/database.ts';

/** Settings of a source by their dotted paths, without secrets. */
export type ShownSettings = readonly (readonly [key: string, value: unknown])[];

/** Of more, the oldest go: of runs before them nobody knows any more by which settings they were done. */
const mostOfSource = 50;

/** By which settings a run is done: written down where they are other ones than those of the runs before. */
export async function noteSettings(
  db: Queryable,
  { id, sourceId }: { readonly id: number; readonly sourceId: number },
  settings: ShownSettings,
): Promise<void> {
  const sorted = [...settings].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const text = JSON.stringify(sorted);
  const own = () => db('run_settings').where({ source_id: sourceId });
  const last: { settings: string } | undefined = await own().orderBy('run_id', 'desc').first('settings');
  if (last?.settings === text) return;
  await db('run_settings')
    .insert({ source_id: sourceId, run_id: id, settings: text })
    .onConflict(['source_id', 'run_id'])
    .merge(['settings']);
  const old: { run_id: number } | undefined = await own()
    .orderBy('run_id', 'desc')
    .offset(mostOfSource)
    .first('run_id');
  if (old) await own().where('run_id', '<=', old.run_id).delete();
}

/** @returns undefined: nobody knows */
export async function settingsOfRun(
  db: Queryable,
  sourceId: number,
  runId: number,
): Promise<ShownSettings | undefined> {
  const row: { settings: string } | undefined = await db('run_settings')
    .where({ source_id: sourceId })
    .where('run_id', '<=', runId)
    .orderBy('run_id', 'desc')
    .first('settings');
  return row && (JSON.parse(row.settings) as ShownSettings);
}

/** A setting that is another one. */
export interface ChangedSetting {
  readonly key: string;
  /** Absent: it was, or is, not set. */
  readonly before?: unknown;
  readonly after?: unknown;
}

/** By their keys. */
export function changedSettings(before: ShownSettings, after: ShownSettings): readonly ChangedSetting[] {
  const [old, now] = [new Map(before), new Map(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .sort()
    .filter((key) => !isDeepStrictEqual(old.get(key), now.get(key)))
    .map((key) => ({
      key,
      ...(old.has(key) && { before: old.get(key) }),
      ...(now.has(key) && { after: now.get(key) }),
    }));
}
