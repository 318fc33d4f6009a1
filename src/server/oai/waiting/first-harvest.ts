import { toIso, toMilliseconds } from '../../../core/datetime.ts';
import { primaryOf } from '../../../store/admin/primary.ts';
import { listUnderWay } from '../../../store/presence/under-way.ts';
import { listDueOf } from '../../../store/runs/due.ts';
import { readPauses } from '../../../store/sources/pauses.ts';
import { findSource } from '../../../store/sources/sources.ts';
import type { ServerDeps } from '../../deps.ts';
import type { Refusal } from '../../http/errors.ts';
import { notReady, retryAfterSeconds } from './list-turns.ts';

/** Where nobody knows when: somebody has to do something first. */
const untoldSeconds = 3600;
const longestSeconds = 86_400;

/**
 * What cannot be answered before the first harvest of a source has ended, or begun: whoever asks is told why that is to be waited for,
 * and comes back when it makes sense.
 * @param what is not known yet, in a sentence
 */
export async function awaitFirstHarvest(
  { database, clock }: Pick<ServerDeps, 'database' | 'clock'>,
  source: string,
  what: string,
): Promise<Refusal> {
  const db = primaryOf(database);
  const now = clock.now().getTime() - database.aheadMs;
  const isHarvest = ({ kind }: { readonly kind: string }) => kind === 'harvest' || kind === 'full';
  const due = (await listDueOf(db, source, now)).filter(isHarvest);
  const isUnderWay =
    due.some(({ isHeld }) => isHeld) || (await listUnderWay(db, source)).some((work) => isHarvest(work));
  if (isUnderWay) return notReady(`${what}: its first harvest is under way`);
  const times = due.flatMap(({ dueAt }) => dueAt ?? []);
  const next = times.length === 0 ? undefined : Math.min(...times);
  const pause = (await readPauses(db, toIso(new Date(now)))).get(source);
  if (pause) {
    const { until } = pause;
    const said = until === undefined ? 'it is paused' : `it is paused until ${until}`;
    const end = until === undefined ? undefined : Math.max(toMilliseconds(until), next ?? 0);
    return notReady(`${what}: ${said}`, secondsTo(end, now));
  }
  if (next !== undefined && next <= now) return notReady(`${what}: its first harvest is due now`);
  const hasFailed =
    due.some(({ attempts }) => attempts > 0) || (await findSource(db, source))?.trouble !== undefined;
  const at = next === undefined ? undefined : toIso(new Date(next));
  const planned = at === undefined ? 'no harvest of it is planned' : `its first harvest is due at ${at}`;
  const again = at === undefined ? 'no other one is planned' : `it is tried again at ${at}`;
  const why = hasFailed ? `its first harvest failed, and ${again}` : planned;
  return notReady(`${what}: ${why}`, secondsTo(next, now));
}

function secondsTo(moment: number | undefined, now: number): number {
  if (moment === undefined) return untoldSeconds;
  return Math.min(longestSeconds, Math.max(retryAfterSeconds, Math.ceil((moment - now) / 1000)));
}
