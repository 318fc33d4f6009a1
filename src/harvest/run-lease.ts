import { toIso } from '../core/datetime.ts';
import { eitherOf } from '../core/either-signal.ts';
import { failure, isBridgeError } from '../core/errors.ts';
import { isCalledFor } from '../store/files/refusals.ts';
import { settleRefusals } from '../store/pages/settle.ts';
import { beatEvery, type Heartbeat, whileHeld } from '../store/runs/held.ts';
import { acquireLease, isBorrowed, type Lease, releaseLease, renewLease } from '../store/runs/leases.ts';
import { endRun, type Run, type RunEnd, type RunKind } from '../store/runs/runs.ts';
import { fileRules } from './file-rules.ts';
import { type HarvestDeps, type HarvestSource, instant } from './harvest-source.ts';

/** What is given to work that nobody else does meanwhile. */
export interface Held {
  readonly lease: Lease;
  /** Whose transactions fail once another process has taken over. */
  readonly deps: HarvestDeps;
  /** Aborts then, too. */
  readonly signal: AbortSignal;
}

/**
 * Work on a source that is nobody else's meanwhile, however long it takes.
 * @throws BridgeError `lease-held`, and what the work throws
 */
export async function withLease<Result>(
  deps: HarvestDeps,
  source: Pick<HarvestSource, 'name' | 'config'>,
  signal: AbortSignal,
  work: (held: Held) => Promise<Result>,
): Promise<Result> {
  const { database, clock, log } = deps;
  const lease = await takeLease(deps, source.name, signal);
  const lost = new AbortController();
  const heartbeat = keepAlive(deps, lease, source, lost);
  const held = { ...deps, database: whileHeld(database, lease, clock) };
  try {
    return await work({ lease, deps: held, signal: eitherOf(signal, lost.signal) });
  } finally {
    await heartbeat.end();
    // What the work has thrown says more. It expires.
    await releaseLease(database, lease).catch((error: unknown) =>
      log.debug({ source: source.name, ...failure(error) }, 'lease not given back'),
    );
  }
}

/** The files of the same source may just be settled by this process; that is a matter of seconds. */
async function takeLease(
  { database, clock }: HarvestDeps,
  source: string,
  signal: AbortSignal,
): Promise<Lease> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await acquireLease(database, source, clock.now().getTime());
    } catch (error) {
      if (!isBridgeError(error, 'lease-held') || !isBorrowed(source) || attempt >= 300) throw error;
      await clock.sleep(100, signal);
    }
  }
}

/**
 * Waiting for a slow upstream must not look like death; nor does what is refused meanwhile wait for the end of the
 * harvest.
 */
function keepAlive(
  deps: HarvestDeps,
  lease: Lease,
  { config }: Pick<HarvestSource, 'config'>,
  lost: AbortController,
): Heartbeat {
  const { database, clock, log } = deps;
  const beat = async () => {
    try {
      await renewLease(database.writer, lease, clock.now().getTime());
    } catch (error) {
      log.warn({ source: lease.source, ...failure(error) }, 'lease not renewed');
      if (isBridgeError(error, 'lease-lost')) lost.abort(error);
      return;
    }
    try {
      if (!(await isCalledFor(database.writer, lease.sourceId, toIso(clock.now())))) return;
      await settleRefusals(database, lease, fileRules(config), () => instant(clock));
    } catch (error) {
      log.warn({ source: lease.source, ...failure(error) }, 'refused files not deleted yet');
    }
  };
  return beatEvery(database.leaseMs / 4, beat);
}

/**
 * What a run failed with says more than that its end cannot be written: another process goes on with it by now, or the
 * database is away, and then it is continued as after a crash.
 */
export async function endFailed(
  { database, log }: HarvestDeps,
  { id }: Pick<Run<RunKind>, 'id'>,
  end: RunEnd,
): Promise<void> {
  try {
    await database.transaction((trx) => endRun(trx, id, end));
  } catch (error) {
    log.debug({ runId: id, ...failure(error) }, 'the end of a run was not written');
  }
}
