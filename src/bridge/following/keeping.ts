import { randomBytes } from 'node:crypto';
import { describeError, isBridgeError } from '../../core/errors.ts';
import { askedLease, pauseAfter } from '../../core/following/lease.ts';
import { redact } from '../../core/secrets.ts';
import { callbackPath } from '../../server/follower.ts';
import {
  dueTopics,
  endTopicsOfOthers,
  type FollowedTopic,
  forgetTopic,
  listLooks,
  noteLook,
  noteTopic,
  type WantedTopic,
  wantTopics,
} from '../../store/following/followed-topics.ts';
import { renewLateTopics, renewTopic } from '../../store/following/renewals.ts';
import { lookAtClock } from '../../store/runs/clock-ahead.ts';
import { findSource } from '../../store/sources/sources.ts';
import type { Bridge } from '../bridge.ts';
import { startWatch, type Watch } from '../work/watch.ts';
import { findChannels } from './channels.ts';
import { isFollowed } from './receiving.ts';

type Keeping = Pick<Bridge, 'config' | 'database' | 'log' | 'clock' | 'fileWork' | 'pauseOf'>;

/** From asking to the hub's call; whoever has not called by then is asked again. */
const patienceMs = 10 * 60_000;
const deadline = 10_000;
const atATime = 8;
/** A Source whose first harvest is not over, or that did not answer. */
const lookSoonMs = 60_000;
const lookAgainMs = 6 * 3_600_000;
/** After these nobody is told any more that we left: the lease ends. */
const attemptsToEnd = 5;

/** Keeps subscriptions to Sources that are followed, in the process that publishes. */
export function startFollowing(bridge: Bridge, stop: AbortSignal, isOurs: () => boolean): Watch {
  let hasBegun = false;
  return startWatch(bridge, stop, 'subscriptions to Sources are not kept', async (signal) => {
    if (!isOurs()) return undefined;
    if (!hasBegun) await renewLate(bridge);
    hasBegun = true;
    await keepSubscriptions(bridge, signal);
    return undefined;
  });
}

/** At the beginning: nobody may have looked for long, and what ends soon is not put off any further. */
export async function renewLate({ database }: Pick<Bridge, 'database'>): Promise<void> {
  await renewLateTopics(database, await lookAtClock(database));
}

/** One look: channels are found, hubs are asked. */
export async function keepSubscriptions(bridge: Keeping, signal: AbortSignal): Promise<void> {
  const { config, database } = bridge;
  const now = await lookAtClock(database);
  const followed = Object.entries(config.sources).flatMap(([name, source]) =>
    isFollowed(source) ? [name] : [],
  );
  await endTopicsOfOthers(database, followed, now);
  const looks = await listLooks(database.reader);
  const stale = followed.filter((name) => {
    const look = looks.get(name);
    return look === undefined || look.url !== config.sources[name]?.url || look.lookAt <= now;
  });
  await Promise.all(stale.slice(0, atATime).map((name) => lookAt(bridge, name, now, signal)));
  for (const topic of await dueTopics(database.reader, ['active'], now, atATime))
    await renewTopic(database, topic, toWanted(topic), now);
  const due = await dueTopics(database.reader, ['wanted', 'asked', 'ending'], now, atATime);
  await Promise.all(due.map((topic) => attend(bridge, topic, now, signal)));
}

async function lookAt(bridge: Keeping, source: string, now: number, signal: AbortSignal): Promise<void> {
  const { config, database, log } = bridge;
  const url = config.sources[source]?.url ?? '';
  const note = (pauseMs: number, reason?: string) =>
    noteLook(database, { source, url, lookAt: now + pauseMs, reason });
  if (bridge.pauseOf(source) !== undefined) return note(lookSoonMs, 'the source is paused');
  // Its first harvest has found the Capability List.
  const capabilityList = (await findSource(database.reader, source))?.info?.baseUrl;
  if (capabilityList === undefined) return note(lookSoonMs, 'it was not harvested yet');
  try {
    const channels = await findChannels(capabilityList, bridge.fileWork(source).http, signal);
    await wantTopics(database, source, channels.map(toWanted), now);
    await note(
      Math.floor(lookAgainMs * (0.75 + Math.random() / 2)),
      channels.length === 0 ? 'it has no hub' : undefined,
    );
  } catch (error) {
    if (!isBridgeError(error)) throw error;
    signal.throwIfAborted();
    log.debug(
      { source, reason: describeError(error) },
      'not found out whether a Source tells of its changes',
    );
    await note(lookSoonMs * 10, describeError(error));
  }
}

/** Each time at another callback, and with another secret. */
function toWanted({ topic, hub }: Pick<FollowedTopic, 'topic' | 'hub'>): WantedTopic {
  return {
    ...{ topic, hub, key: randomBytes(32).toString('base64url') },
    // In clear it would be no secret.
    secret: hub.startsWith('https:') ? randomBytes(32).toString('base64url') : undefined,
  };
}

async function attend(
  bridge: Keeping,
  topic: FollowedTopic,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const { database } = bridge;
  const isEnding = topic.state === 'ending';
  if (
    isEnding &&
    (topic.attempts >= attemptsToEnd || topic.leaseUntil === undefined || topic.leaseUntil <= now)
  )
    return forgetTopic(database, topic.key);
  const attempts = topic.attempts + 1;
  // Before it is asked: the hub may call back at once.
  const asked = { ...topic, state: isEnding ? ('ending' as const) : ('asked' as const) };
  const dueAt = now + patienceMs;
  if (!(await noteTopic(database, topic, { state: asked.state, attempts, dueAt }))) return;
  const reason = await ask(bridge, topic, isEnding ? 'unsubscribe' : 'subscribe', signal);
  if (reason === undefined) return;
  bridge.log.warn(
    { source: topic.source, hub: new URL(topic.hub).host, reason },
    'a hub does not take a subscription',
  );
  const again = now + pauseAfter(attempts, Math.random());
  await noteTopic(database, asked, { ...(isEnding ? {} : { state: 'wanted' }), reason, dueAt: again });
}

/** @returns why not */
async function ask(
  { config, fileWork }: Keeping,
  { source, topic, hub, key, secret }: FollowedTopic,
  mode: 'subscribe' | 'unsubscribe',
  signal: AbortSignal,
): Promise<string | undefined> {
  const form = new URLSearchParams({
    'hub.callback': `${config.baseUrl}/${callbackPath}/${key}`,
    'hub.mode': mode,
    'hub.topic': topic,
    ...(mode === 'subscribe' && { 'hub.lease_seconds': String(askedLease) }),
    ...(mode === 'subscribe' && secret !== undefined && { 'hub.secret': secret }),
  });
  try {
    const answer = await fileWork(source).http.post(hub, form, { signal, deadline, patient: false });
    await answer.discard();
    return answer.status >= 200 && answer.status < 300 ? undefined : `it answered ${answer.status}`;
  } catch (error) {
    if (!isBridgeError(error)) throw error;
    signal.throwIfAborted();
    return redact(describeError(error));
  }
}
