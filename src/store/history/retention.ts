import { setImmediate } from 'node:timers/promises';
import type { Knex } from 'knex';
import { addSeconds, earlier } from '../../core/datetime.ts';
import { beginOfDays, isSameKeep, type Keep, surplusVersions } from '../../core/time/retention.ts';
import { batches } from '../engine/batches.ts';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { type ReleasedVersion, releaseVersions, restoreVersions } from '../payloads/released.ts';
import { ofSource } from '../rows/one-source.ts';
import { type Lease, renewLease } from '../runs/leases.ts';
import { type JournalState, lastSeqBefore, readJournal } from '../sources/journal.ts';

export interface RetentionReport {
  /** Versions that were given up now. */
  readonly givenUp: number;
  /** Versions that had been, and are back. */
  readonly broughtBack: number;
}

/** What was applied to a source: `source.retention`. */
interface RetentionState {
  readonly keep: Keep;
  /** What changes up to here have ended was looked at; 0: nothing yet, and what can be is brought back before. */
  readonly seq: number;
  /** By this time. */
  readonly at: string;
  /** Versions that are given up, all told. */
  readonly givenUp: number;
}

const changesAtATime = 1000;
const resourcesAtATime = 100;
const restoredAtATime = 500;
/** A clock that is set back by more than this was wrong before. */
const correctionSeconds = 3600;

/**
 * Gives up the versions of a source that `keep` does not cover any more. It looks at resources that changed since the
 * last call (with `days`: that changed so long ago as of now); with another `keep` than last time at all of them,
 * after what was given up and is still on the disk has been brought back. A transaction for some resources at a time;
 * whoever is interrupted, be it by `signal`, continues the next time.
 *
 * The time is the machine's or the journal's, whichever is earlier. A clock that was ahead for a moment has the
 * journal ahead of it for long; where it was ahead while this looked, what was given up by it is brought back.
 * @throws BridgeError `lease-lost`
 */
export async function applyRetention(
  database: Database,
  lease: Lease,
  keep: Keep,
  now: () => { iso: string; milliseconds: number },
  signal?: AbortSignal,
): Promise<RetentionReport> {
  const { reader } = database;
  const before = await readState(reader, lease.sourceId);
  if (keep === 'all' && (!before || (before.keep === 'all' && before.seq > 0))) {
    return { givenUp: 0, broughtBack: 0 };
  }
  const journal = await readJournal(reader, lease.source);
  if (!journal) throw new Error(`source ${lease.source} is not in the database`);
  const at = earlier(now().iso, journal.at);
  const continues = before && isSameKeep(before.keep, keep) && !isSetBack(before, at);
  let state: RetentionState = { keep, at, seq: continues ? before.seq : 0, givenUp: before?.givenUp ?? 0 };

  /** What is done, and how far that is, in one transaction. */
  const step = async (seq: number, work: (trx: Knex.Transaction) => Promise<number>) => {
    const before = state;
    const done = await database.transaction(async (trx) => {
      await renewLease(trx, lease, now().milliseconds);
      const change = await work(trx);
      const after = { ...before, seq, givenUp: before.givenUp + change };
      await trx('source')
        .where({ id: lease.sourceId })
        .update({ retention: JSON.stringify(after) });
      return { change, after };
    });
    state = done.after;
    return done.change;
  };

  let broughtBack = 0;
  if (!continues) await step(0, async () => 0);
  while (before && state.seq === 0 && !signal?.aborted) {
    const change = await step(
      0,
      async (trx) => -(await restoreVersions(trx, lease.sourceId, restoredAtATime)),
    );
    if (change === 0) break;
    broughtBack -= change;
  }
  let givenUp = 0;
  const until = await lastDecidedSeq(reader, journal, keep, at);
  for (let from = state.seq; from < until && !signal?.aborted; ) {
    const seq = Math.min(from + changesAtATime, until);
    for await (const surplus of findSurplus(reader, lease.sourceId, { from, seq }, keep, at)) {
      givenUp += await step(state.seq, (trx) => releaseVersions(trx, lease.sourceId, surplus, now().iso));
    }
    from = seq;
    // Once in a while, so that whoever is killed does not have to look at all of them again.
    if (from === until || from % (50 * changesAtATime) === 0) await step(from, async () => 0);
    await setImmediate();
  }
  return { givenUp, broughtBack };
}

async function readState(db: Queryable, sourceId: number): Promise<RetentionState | undefined> {
  const row: { retention: string | null } | undefined = await db('source')
    .select('retention')
    .where({ id: sourceId })
    .first();
  return row?.retention ? (JSON.parse(row.retention) as RetentionState) : undefined;
}

function isSetBack({ keep, at: before }: RetentionState, at: string): boolean {
  return keep !== 'all' && 'days' in keep && at < addSeconds(before, -correctionSeconds);
}

/** Of what changed up to here it is decided what stays. */
async function lastDecidedSeq(
  db: Queryable,
  { sourceId, seq }: JournalState,
  keep: Keep,
  at: string,
): Promise<number> {
  if (keep === 'all' || 'last' in keep) return seq;
  return lastSeqBefore(db, sourceId, seq, beginOfDays(keep.days, at));
}

/** Of the resources that changed within a range of the journal. */
async function* findSurplus(
  db: Queryable,
  sourceId: number,
  range: { readonly from: number; readonly seq: number },
  keep: Keep,
  at: string,
): AsyncGenerator<readonly ReleasedVersion[]> {
  if (keep === 'all') return;
  const touched: { resource_id: number }[] = await db('change')
    .distinct('resource_id')
    .where({ source_id: sourceId })
    .where('seq', '>', range.from)
    .where('seq', '<=', range.seq)
    // What is there for the first time has nothing that could be given up: nearly all of a first harvest.
    .where((past) => past.whereNot('kind', 'created').orWhereExists(earlierVersion(db, sourceId)))
    .modify((query) => {
      // How many came after a version is known with the latest change.
      if ('last' in keep) query.whereExists(asLatestChange(db, sourceId));
    });
  const ids = touched.map(({ resource_id }) => resource_id);
  for (const some of batches(ids, resourcesAtATime)) {
    // On SQLite all of this is work without a pause; whoever else is served by this process gets a turn.
    await setImmediate();
    const steps = await readSteps(db, sourceId, some);
    const surplus = [...steps.values()].flatMap((own) =>
      surplusVersions(own, keep, at).filter(({ version }) => !version.dropped),
    );
    if (surplus.length === 0) continue;
    yield surplus.map(({ version, endSeq }) => {
      const { resourceId, seq, hash } = version;
      return { resourceId, seq, endSeq, hash };
    });
  }
}

function earlierVersion(db: Queryable, sourceId: number): Knex.QueryBuilder {
  return db('version')
    .select(db.raw('1'))
    .where('version.source_id', sourceId)
    .whereRaw('version.resource_id = change.resource_id and version.seq < change.seq');
}

function asLatestChange(db: Queryable, sourceId: number): Knex.QueryBuilder {
  return db('resource')
    .select(db.raw('1'))
    .whereRaw('resource.id = change.resource_id and resource.last_seq = change.seq')
    .modify(ofSource, 'resource', sourceId);
}

async function readSteps(db: Queryable, sourceId: number, resourceIds: readonly number[]) {
  const rows: {
    resource_id: number;
    seq: number;
    at: string;
    lastmod: string;
    gone: number;
    hash: string | null;
    dropped_at: string | null;
  }[] = await db('version')
    .select('resource_id', 'seq', 'at', 'lastmod', 'gone', 'hash', 'dropped_at')
    .where({ source_id: sourceId })
    .modify((query) => whereAnyOf(query, 'resource_id', resourceIds))
    .orderBy(['resource_id', 'seq']);
  const steps = rows.map(({ resource_id, hash, gone, dropped_at, ...step }) => ({
    ...step,
    at: step.at || step.lastmod,
    resourceId: resource_id,
    gone: gone === 1,
    dropped: dropped_at !== null,
    // Of what we never had there is nothing to remove.
    hash: hash ?? '',
  }));
  const byResource = new Map<number, typeof steps>();
  for (const step of steps) {
    const own = byResource.get(step.resourceId);
    if (own) own.push(step);
    else byResource.set(step.resourceId, [step]);
  }
  return byResource;
}
