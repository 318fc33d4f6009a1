import type { RepositoryInfo } from '../core/adapter.ts';
import { toIso } from '../core/datetime.ts';
import { BridgeError, failure as cannot, describeError, isBridgeError } from '../core/errors.ts';
import { say } from '../core/reasons/reason.ts';
import type { Lease } from '../store/runs/leases.ts';
import { loadLessons, saveInfo, saveLessons, saveTrouble } from '../store/sources/sources.ts';
import type { HarvestDeps, HarvestSource, RunSignals } from './harvest-source.ts';

/** Who is there today. A run that cannot even begin leaves a word, for whoever asks how the source is doing. */
export async function introduce(
  { database, clock, log }: HarvestDeps,
  source: HarvestSource,
  lease: Lease,
  options: Pick<RunSignals, 'signal'>,
): Promise<RepositoryInfo> {
  try {
    source.lessons.fill(await loadLessons(database.reader, source.name));
    const info = await source.adapter.identify(options.signal);
    noteAddress(source, info);
    await database.transaction((trx) => saveInfo(trx, lease.sourceId, info));
    return info;
  } catch (error) {
    const failure = toFailure(error, options);
    const { code } = failure;
    if (code !== 'interrupted') {
      const trouble = { code, message: describeError(failure), at: toIso(clock.now()) };
      await database
        .transaction((trx) => saveTrouble(trx, lease.sourceId, trouble))
        .catch((cause: unknown) => log.debug({ source: source.name, ...cannot(cause) }, 'trouble not noted'));
    }
    throw failure;
  }
}

const address = 'address';

/** Whoever runs the bridge is told where it has moved; where nobody saw, what was told stays until it is configured. */
function noteAddress({ config, lessons }: HarvestSource, { moved }: RepositoryInfo): void {
  if (typeof moved === 'string') lessons.learn(address, moved, say('address-moved', { url: moved }));
  else if (moved === false || lessons.get(address) === config.url) lessons.forget(address);
}

/** It may be the last thing that is done, because of what says more than that it was in vain. */
export async function keepLessons(
  { database, log }: HarvestDeps,
  lease: Lease,
  { name, lessons }: HarvestSource,
): Promise<void> {
  const changed = lessons.takeChanged();
  if (!changed) return;
  try {
    await database.transaction((trx) => saveLessons(trx, lease.sourceId, changed));
  } catch (error) {
    log.warn({ source: name, ...cannot(error) }, 'what its endpoint taught us is not kept');
  }
}

export function toFailure(error: unknown, { signal }: Pick<RunSignals, 'signal'>): BridgeError {
  if (isBridgeError(error)) return error;
  if (isBridgeError(signal.reason)) return signal.reason;
  if (signal.aborted) return new BridgeError('interrupted', 'stopped at once as asked', { cause: error });
  return new BridgeError('internal', 'the harvest failed unexpectedly', { cause: error });
}
