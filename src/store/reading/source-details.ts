import type { Problem } from '../../core/adapter.ts';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { countFilesOf, type FileCounts } from '../files/file-counts.ts';
import { countWithheldOf, type WithheldCounts } from '../files/withheld-files.ts';
import { listLatestRuns, listProblemsOf, type Run, type RunKind } from '../runs/runs.ts';
import { countUnreadableOf } from '../runs/unreadable.ts';
import { countVanishedOf, type VanishedCounts } from '../runs/vanished.ts';
import type { Lesson } from '../sources/sources.ts';

/** What `rsbridge status` tells of a source beyond its overview. */
export interface SourceDetails {
  /** The latest ones, newest first. */
  readonly runs: readonly Run<RunKind>[];
  /** The first ones of the latest run. */
  readonly problems: readonly Problem[];
  readonly lessons: readonly Lesson[];
  readonly files: FileCounts;
  readonly withheldFiles: WithheldCounts;
  readonly vanished: VanishedCounts;
  /** Records that cannot be read. */
  readonly unreadable: number;
  /** Versions that are given up. */
  readonly versionsGivenUp: number;
}

interface Row {
  readonly id: number;
  readonly name: string;
  readonly lessons: string | null;
  readonly retention: string | null;
  readonly fuse_at: string | null;
}

/**
 * Of some sources at once, by name: a fixed number of statements however many they are. Those that were never
 * harvested are not in it.
 */
export async function readSourceDetails(
  db: Queryable,
  names: readonly string[],
  limits: { readonly runs: number; readonly problems: number },
): Promise<ReadonlyMap<string, SourceDetails>> {
  const rows: Row[] = await db('source')
    .select('id', 'name', 'lessons', 'retention', 'fuse_at')
    .modify((query) => whereAnyOf(query, 'name', names));
  const ids = rows.map(({ id }) => id);
  const runs = await listLatestRuns(db, ids, limits.runs);
  const latest = [...runs.values()].flatMap(([run]) => (run && run.problems > 0 ? [run.id] : []));
  const problems = await listProblemsOf(db, latest, limits.problems);
  const files = await countFilesOf(db, ids);
  const withheld = await countWithheldOf(db, ids);
  const vanished = await countVanishedOf(db, ids);
  const unreadable = await countUnreadableOf(db, ids);
  return new Map(
    rows.map(({ id, name, lessons, retention, fuse_at }) => {
      const own = runs.get(id) ?? [];
      const details: SourceDetails = {
        runs: own,
        problems: (own[0] && problems.get(own[0].id)) ?? [],
        lessons: lessons === null ? [] : (JSON.parse(lessons) as Lesson[]),
        files: files(id),
        withheldFiles: { ...withheld(id), fuseAt: fuse_at ?? undefined },
        vanished: vanished(id),
        unreadable: unreadable(id),
        versionsGivenUp: givenUpOf(retention),
      };
      return [name, details];
    }),
  );
}

/** 0 where retention was never asked for. */
function givenUpOf(retention: string | null): number {
  return retention === null ? 0 : (JSON.parse(retention) as { givenUp: number }).givenUp;
}
