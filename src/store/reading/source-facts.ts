import type { Problem } from '../../core/adapter.ts';
import type { Queryable } from '../engine/database.ts';
import { findRuns, firstProblems, type Run, type RunKind, type RunState } from '../runs/runs.ts';
import { anyVanished } from '../runs/vanished.ts';
import {
  type CountsRow,
  countColumns,
  publishedItems,
  type SourceCounts,
  type SourceRow,
  type StoredSource,
  sourceColumns,
  toStoredSource,
} from '../sources/sources.ts';

/** What the database knows of how a source is doing. */
export interface SourceFacts {
  readonly stored: StoredSource;
  readonly counts: SourceCounts;
  /** When a harvest of it ended well last, of whatever kind. */
  readonly lastSuccessAt: string | undefined;
  /** The latest harvest, ended or not. */
  readonly run: Run | undefined;
  /** The latest full pass that came to its end, for better or worse. */
  readonly fullPass: Run | undefined;
  /** The latest look through the identifiers, ended or not. */
  readonly look: Run<'identifiers'> | undefined;
  /** The latest of them that came to its end, for better or worse. */
  readonly lookedThrough: Run<'identifiers'> | undefined;
  /** The first of the latest harvest. */
  readonly problem: Problem | undefined;
  /** Whether items are missing upstream, and wait for a person. */
  readonly vanished: boolean;
  /** Records that cannot be read. */
  readonly unreadable: number;
  /** Since when so many files are refused that a person is asked; undefined: they are not. */
  readonly fuseAt: string | undefined;
}

interface FactsRow extends SourceRow, CountsRow {
  readonly seq_before: number | null;
  readonly last_success_at: string | null;
  readonly vanished: number | null;
  readonly unreadable: number | string;
  readonly fuse_at: string | null;
  readonly full_id: number | null;
  readonly incremental_id: number | null;
  readonly look_id: number | null;
  readonly full_pass_id: number | null;
  readonly looked_through_id: number | null;
}

/** What is said of everything: neither one that goes on, nor one that broke off. */
const ended: readonly RunState[] = ['succeeded', 'needs-attention'];

/** SQLite answers at once, and nothing else is done meanwhile: not too many with one statement. */
const sourcesAtOnce = 128;

/**
 * Of every source, by name, in a few statements for many of them.
 * @param since changes from then on are counted
 */
export async function readSourceFacts(
  db: Queryable,
  since: string,
): Promise<ReadonlyMap<string, SourceFacts>> {
  const facts = new Map<string, SourceFacts>();
  for (let after = 0; ; ) {
    const some = await readSome(db, since, after);
    for (const one of some) facts.set(one.stored.name, one);
    const last = some.at(-1);
    if (!last || some.length < sourcesAtOnce) return facts;
    after = last.stored.id;
  }
}

/** @param after the id of the source before */
async function readSome(db: Queryable, since: string, after: number): Promise<readonly SourceFacts[]> {
  const latest = (mode: string) =>
    db('run').select('id').whereRaw('source_id = source.id').where({ mode }).orderBy('id', 'desc').limit(1);
  const rows: FactsRow[] = await db('source')
    .select(
      ...sourceColumns,
      ...countColumns,
      'fuse_at',
      'last_success_at',
      latest('full').as('full_id'),
      latest('incremental').as('incremental_id'),
      latest('identifiers').as('look_id'),
      latest('full').whereIn('state', ended).as('full_pass_id'),
      latest('identifiers').whereIn('state', ended).as('looked_through_id'),
      db('moment')
        .select('seq')
        .whereRaw('source_id = source.id')
        .where('at', '<', since)
        .orderBy('at', 'desc')
        .limit(1)
        .as('seq_before'),
      anyVanished(db).as('vanished'),
      db('unreadable').count('*').whereRaw('source_id = source.id').as('unreadable'),
    )
    .where('source.id', '>', after)
    .orderBy('source.id')
    .limit(sourcesAtOnce);
  const ids = rows.flatMap((row) => [
    ...[latestOf(row), row.full_pass_id],
    ...[row.look_id, row.looked_through_id],
  ]);
  const runs = await findRuns(db, [...new Set(ids.filter((id) => id !== null))]);
  const find = <Found extends Run<RunKind>>(id: number | null) =>
    id === null ? undefined : (runs.get(id) as Found | undefined);
  const facts = rows.map((row) => ({
    row,
    run: find<Run>(latestOf(row)),
    fullPass: find<Run>(row.full_pass_id),
    look: find<Run<'identifiers'>>(row.look_id),
    lookedThrough: find<Run<'identifiers'>>(row.looked_through_id),
  }));
  const troubled = facts.flatMap(({ run }) => (run && run.problems > 0 ? [run.id] : []));
  const problems = await firstProblems(db, troubled);
  return facts.map(({ row, run, ...others }) => ({
    ...{ stored: toStoredSource(row), counts: countsOf(row), run, ...others },
    lastSuccessAt: lastSuccessOf(row, run),
    problem: run && problems.get(run.id),
    vanished: row.vanished !== null,
    unreadable: Number(row.unreadable),
    fuseAt: row.fuse_at ?? undefined,
  }));
}

function latestOf({ full_id, incremental_id }: FactsRow): number | null {
  if (full_id === null || incremental_id === null) return full_id ?? incremental_id;
  return Math.max(full_id, incremental_id);
}

/** Processes of a release before write down no more than the run, and when all was read last. */
function lastSuccessOf(
  { last_success_at: written, last_full_at: full }: FactsRow,
  run: Run | undefined,
): string | undefined {
  const times = [written, full, run?.state === 'succeeded' ? run.endedAt : undefined];
  return times
    .filter((time) => typeof time === 'string')
    .sort()
    .at(-1);
}

function countsOf(row: FactsRow): SourceCounts {
  const { resource_count, journal_seq, seq_before } = row;
  return { items: publishedItems(row), resources: resource_count, changes: journal_seq - (seq_before ?? 0) };
}
