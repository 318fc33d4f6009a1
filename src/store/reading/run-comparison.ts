import { toMilliseconds } from '../../core/datetime.ts';
import type { Queryable } from '../engine/database.ts';
import { countWarnings } from '../presence/log-lines.ts';
import { findRuns, type Run, type RunKind } from '../runs/runs.ts';
import { type ChangedSetting, changedSettings, settingsOfRun } from '../sources/run-settings.ts';

/** A run with what is known of it beside its row. */
export interface ComparedRun {
  readonly run: Run<RunKind>;
  /** From its first start to its end, or until now. */
  readonly seconds: number;
  /** Lines of the log that are warnings or worse; undefined: it is older than the log. */
  readonly warnings: number | undefined;
}

export interface RunComparison {
  /** The earlier one; undefined: there is none. */
  readonly before: ComparedRun | undefined;
  readonly after: ComparedRun;
  /** Of the source, between the two; undefined: nobody knows. */
  readonly settings: readonly ChangedSetting[] | undefined;
}

/**
 * What differs between two runs of a source.
 * @param options.with the other one; undefined: the latest one of the same kind before
 * @param options.now ISO
 * @returns undefined where the source has no such run
 */
export async function compareRuns(
  db: Queryable,
  source: { readonly id: number; readonly name: string },
  runId: number,
  options: { readonly with: number | undefined; readonly now: string },
): Promise<RunComparison | undefined> {
  const { now } = options;
  const run = await findOf(db, source.id, runId);
  const otherId = options.with ?? (run && (await runBefore(db, run)));
  const other = otherId === undefined ? undefined : await findOf(db, source.id, otherId);
  if (!run || (options.with !== undefined && !other)) return undefined;
  const [before, after] = other && other.id > run.id ? [run, other] : [other, run];
  return {
    before: before && (await seen(db, source.name, before, now)),
    after: await seen(db, source.name, after, now),
    settings: before && (await settingsBetween(db, before, after)),
  };
}

async function findOf(db: Queryable, sourceId: number, id: number): Promise<Run<RunKind> | undefined> {
  const run = (await findRuns(db, [id])).get(id);
  return run?.sourceId === sourceId ? run : undefined;
}

async function runBefore(db: Queryable, { id, sourceId, mode }: Run<RunKind>): Promise<number | undefined> {
  const row: { id: number } | undefined = await db('run')
    .where({ source_id: sourceId, mode })
    .where('id', '<', id)
    .orderBy('id', 'desc')
    .first('id');
  return row?.id;
}

async function seen(db: Queryable, source: string, run: Run<RunKind>, now: string): Promise<ComparedRun> {
  const ms = toMilliseconds(run.endedAt ?? now) - toMilliseconds(run.startedAt);
  return {
    run,
    seconds: Math.max(0, Math.round(ms / 1000)),
    warnings: await countWarnings(db, { source, id: run.id, startedAt: run.startedAt }, now),
  };
}

async function settingsBetween(
  db: Queryable,
  before: Run<RunKind>,
  after: Run<RunKind>,
): Promise<readonly ChangedSetting[] | undefined> {
  const old = await settingsOfRun(db, before.sourceId, before.id);
  const now = await settingsOfRun(db, after.sourceId, after.id);
  return old && now && changedSettings(old, now);
}
