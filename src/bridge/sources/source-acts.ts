import { toIso } from '../../core/datetime.ts';
import { BridgeError } from '../../core/errors.ts';
import { nextDue } from '../../core/time/next-due.ts';
import { type AskedKind, dueKindOf, recordAsked } from '../../store/runs/asked.ts';
import { lookAtClock } from '../../store/runs/clock-ahead.ts';
import { askFor } from '../../store/runs/due.ts';
import { stopWork } from '../../store/runs/stopped-work.ts';
import { type Pause, pauseSources, resumeSources } from '../../store/sources/pauses.ts';
import type { StoredBridge } from '../stored-bridge.ts';
import { plansOf } from '../work/due-plans.ts';
import { askAgain } from './ask-again.ts';
import { pauseEnd } from './pause-end.ts';

type Stored = Pick<StoredBridge, 'config' | 'database' | 'clock'>;

/** @throws BridgeError `unknown-source` */
export function refuseUnknown({ config }: Pick<Stored, 'config'>, names: readonly string[]): void {
  const unknown = names.find((name) => !Object.hasOwn(config.sources, name));
  if (unknown === undefined) return;
  const known = Object.keys(config.sources).join(', ') || 'none';
  throw new BridgeError('unknown-source', `there is no source called ${unknown}; configured: ${known}`);
}

/**
 * Has sources left alone, whatever their schedules say; a harvest under way ends after its page.
 * @param how `until`: a moment or the name of a day; undefined: until somebody resumes them
 * @throws BridgeError `usage`, `unknown-source`
 */
export async function pauseNow(
  bridge: Stored,
  names: readonly string[],
  how: { readonly until?: string | undefined; readonly reason?: string | undefined },
): Promise<readonly Pause[]> {
  refuseUnknown(bridge, names);
  const now = bridge.clock.now();
  const until = how.until === undefined ? undefined : pauseEnd(how.until, now);
  const reason = how.reason?.slice(0, 500);
  const pauses = names.map((source): Pause => ({ source, since: toIso(now), until, reason }));
  await pauseSources(bridge.database, pauses);
  return pauses;
}

/** @returns those that were paused */
export async function resumeNow(bridge: Stored, names: readonly string[]): Promise<ReadonlySet<string>> {
  refuseUnknown(bridge, names);
  const resumed = new Set(await resumeSources(bridge.database, names));
  await askAgain(bridge, names);
  return resumed;
}

/**
 * Whoever works does it before all that is due by schedule.
 * @param ask `what`: of one item its identifier; of deletions the run that showed them
 * @returns the numbers by which it can be followed
 */
export async function askNow(
  bridge: Stored,
  names: readonly string[],
  { kind, what, who }: { readonly kind: AskedKind; readonly what?: string | undefined; readonly who: string },
): Promise<readonly number[]> {
  refuseUnknown(bridge, names);
  const at = toIso(bridge.clock.now());
  const ids = await recordAsked(
    bridge.database,
    names.map((source) => ({ source, kind, what, who, at })),
  );
  await askFor(
    bridge.database,
    { sources: names, kind: dueKindOf(kind) },
    await lookAtClock(bridge.database),
  );
  return ids;
}

/**
 * What is under way with them ends after its page, within a quarter of `database.leaseSeconds`; they are read again at their
 * next turn.
 * @returns those that somebody was at
 */
export async function stopNow(bridge: Stored, names: readonly string[]): Promise<readonly string[]> {
  refuseUnknown(bridge, names);
  const now = await lookAtClock(bridge.database);
  const wanted = new Set(names);
  const stopped = new Set<string>();
  for (const { source, kind, schedule } of plansOf(bridge.config)) {
    if (!wanted.has(source)) continue;
    const next = schedule && nextDue(schedule, now);
    if (await stopWork(bridge.database, { source, kind, next })) stopped.add(source);
  }
  return [...stopped];
}
