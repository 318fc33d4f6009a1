import { toIso } from '../core/datetime.ts';
import { failure, isBridgeError } from '../core/errors.ts';
import { isCalledFor } from '../store/files/refusals.ts';
import { settleRefusals } from '../store/pages/settle.ts';
import { acquireLease, isBorrowed, type Lease, releaseLease, renewLease } from '../store/runs/leases.ts';
import { fileRules } from './file-rules.ts';
import { type HarvestDeps, type HarvestSource, instant } from './harvest-source.ts';

/**
 * Work on a source that is nobody else's meanwhile, however long it takes.
 * @throws BridgeError `lease-held`, and what the work throws
 */
export async function withLease<Result>(
  deps: HarvestDeps,
  source: Pick<HarvestSource, 'name' | 'config'>,
  signal: AbortSignal,
  work: (lease: Lease) => Promise<Result>,
): Promise<Result> {
  const lease = await takeLease(deps, source.name, signal);
  const heartbeat = keepAlive(deps, lease, source);
  try {
    return await work(lease);
  } finally {
    await heartbeat.end();
    await releaseLease(deps.database, lease);
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

interface Heartbeat {
  end(): Promise<void>;
}

/**
 * Waiting for a slow upstream must not look like death; nor does what is refused meanwhile wait for the end of the
 * harvest.
 */
function keepAlive(deps: HarvestDeps, lease: Lease, { config }: Pick<HarvestSource, 'config'>): Heartbeat {
  const { database, clock, log } = deps;
  const beat = async () => {
    try {
      await renewLease(database.writer, lease, clock.now().getTime());
    } catch (error) {
      log.warn({ source: lease.source, ...failure(error) }, 'lease not renewed');
      return;
    }
    try {
      if (!(await isCalledFor(database.writer, lease.sourceId, toIso(clock.now())))) return;
      await settleRefusals(database, lease, fileRules(config), () => instant(clock));
    } catch (error) {
      log.warn({ source: lease.source, ...failure(error) }, 'refused files not deleted yet');
    }
  };
  let beating: Promise<void> | undefined;
  const timer = setInterval(() => {
    beating ??= beat().finally(() => {
      beating = undefined;
    });
  }, database.leaseMs / 4).unref();
  return {
    end: async () => {
      clearInterval(timer);
      await beating;
    },
  };
}
