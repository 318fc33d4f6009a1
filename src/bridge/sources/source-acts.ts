import { toIso } from '../../core/datetime.ts';
import { refusal } from '../../core/errors.ts';
import { nextDue } from '../../core/time/next-due.ts';
import { type Action, type Actor, pruneActs, recordAct } from '../../store/admin/audit.ts';
import { primaryOf } from '../../store/admin/primary.ts';
import { type AskedKind, dueKindOf, recordAsked } from '../../store/runs/asked.ts';
import { lookAtClock } from '../../store/runs/clock-ahead.ts';
import { askFor } from '../../store/runs/due.ts';
import { stopWork } from '../../store/runs/stopped-work.ts';
import { dismissVanished } from '../../store/runs/vanished.ts';
import { type Pause, pauseSources, resumeSources } from '../../store/sources/pauses.ts';
import { findSource } from '../../store/sources/sources.ts';
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
  throw refusal('unknown-source', 'source-unknown', { name: unknown, names: known });
}

/** Into the audit log; what is too old goes. */
export async function noteAct(
  { database, clock }: Pick<Stored, 'database' | 'clock'>,
  by: Actor,
  action: Action,
  what?: string,
): Promise<void> {
  const at = toIso(clock.now());
  await recordAct(database, { ...by, at, action, what });
  await pruneActs(database, at);
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
  by: Actor,
): Promise<readonly Pause[]> {
  refuseUnknown(bridge, names);
  const now = bridge.clock.now();
  const until = how.until === undefined ? undefined : pauseEnd(how.until, now);
  const reason = how.reason?.slice(0, 500);
  const pauses = names.map((source): Pause => ({ source, since: toIso(now), until, reason }));
  await pauseSources(bridge.database, pauses);
  await noteAct(bridge, by, 'pause', names.join(' '));
  return pauses;
}

/** @returns those that were paused */
export async function resumeNow(
  bridge: Stored,
  names: readonly string[],
  by: Actor,
): Promise<ReadonlySet<string>> {
  refuseUnknown(bridge, names);
  const resumed = new Set(await resumeSources(bridge.database, names));
  await askAgain(bridge, names);
  await noteAct(bridge, by, 'resume', names.join(' '));
  return resumed;
}

/**
 * Whoever works does it before all that is due by schedule.
 * @param ask `what`: of items their identifiers; of deletions the run that showed them; of records that could not be
 * read their cause, none: all of them
 * @returns the numbers by which it can be followed
 */
export async function askNow(
  bridge: Stored,
  names: readonly string[],
  { kind, what = [undefined] }: { readonly kind: AskedKind; readonly what?: readonly (string | undefined)[] },
  by: Actor,
): Promise<readonly number[]> {
  refuseUnknown(bridge, names);
  const at = toIso(bridge.clock.now());
  const asks = names.flatMap((source) => what.map((one) => ({ source, kind, what: one, who: by.who, at })));
  const ids = await recordAsked(bridge.database, asks);
  await askFor(
    bridge.database,
    { sources: names, kind: dueKindOf(kind) },
    await lookAtClock(bridge.database),
  );
  const [first] = what;
  const about = what.length > 1 ? `: ${what.length}` : first === undefined ? '' : `: ${first}`;
  await noteAct(bridge, by, actionOf[kind], `${names.join(' ')}${about}`);
  return ids;
}

const actionOf: Readonly<Record<AskedKind, Action>> = {
  harvest: 'harvest',
  full: 'full',
  identifiers: 'identifiers',
  item: 'tried again',
  problems: 'tried again',
  acceptance: 'approved deletions',
  restore: 'restored',
};

/**
 * What is under way with them ends after its page, within a quarter of `database.leaseSeconds`; they are read again at their
 * next turn.
 * @returns those that somebody was at
 */
export async function stopNow(
  bridge: Stored,
  names: readonly string[],
  by: Actor,
): Promise<readonly string[]> {
  refuseUnknown(bridge, names);
  const now = await lookAtClock(bridge.database);
  const wanted = new Set(names);
  const stopped = new Set<string>();
  for (const { source, kind, schedule } of plansOf(bridge.config)) {
    if (!wanted.has(source)) continue;
    const next = schedule && nextDue(schedule, now);
    if (await stopWork(bridge.database, { source, kind, next })) stopped.add(source);
  }
  await noteAct(bridge, by, 'stop', names.join(' '));
  return [...stopped];
}

/**
 * What a run did not find stays published, until a later one misses it again.
 * @param run which showed it: what another one has shown since is not meant
 * @throws BridgeError `unknown-source`, `vanished-changed`
 */
export async function rejectDeletions(bridge: Stored, name: string, run: number, by: Actor): Promise<number> {
  refuseUnknown(bridge, [name]);
  const stored = await findSource(primaryOf(bridge.database), name);
  const kept = stored === undefined ? 0 : await dismissVanished(bridge.database, stored.id, run);
  if (kept === 0) throw refusal('vanished-changed', 'nothing-missing-in-run', { run, source: name });
  await noteAct(bridge, by, 'rejected deletions', `${name}, run ${run}`);
  return kept;
}
