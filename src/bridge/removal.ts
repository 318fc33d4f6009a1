import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { toIso } from '../core/datetime.ts';
import { failure, isBridgeError } from '../core/errors.ts';
import { filterOf, type ResourceSet, resourceSets } from '../core/resource-set.ts';
import { instant } from '../harvest/harvest-source.ts';
import { readPointer } from '../publish/disk/pointer.ts';
import { publicationRoot } from '../publish/published/publication.ts';
import { removePublished } from '../publish/sets/removed-publication.ts';
import { removeUnreferenced } from '../store/payloads/unreferenced-blobs.ts';
import { type ListedSubscription, listSubscriptions } from '../store/push/subscriptions.ts';
import { endTopicsOfSource, topicsOfSource } from '../store/push/topics.ts';
import { deleteAll, isRemoved, purgeSource } from '../store/removal/removed-sources.ts';
import { lookAtClock } from '../store/runs/clock-ahead.ts';
import { acquireLease, type Lease, releaseLease } from '../store/runs/leases.ts';
import { findSource } from '../store/sources/sources.ts';
import type { Bridge } from './bridge.ts';

export interface RemovalOptions {
  /** Its lists, rows and bytes, too. */
  readonly atOnce: boolean;
  /** What is not done until then is done the next time. */
  readonly signal: AbortSignal;
}

/**
 * Removes a source that is not configured any more, in short transactions, so that whatever else is at work goes on: first
 * for those who follow it, then, if asked for, for good. Whoever is interrupted continues.
 * @throws BridgeError `lease-held`: another process works on the source
 */
export async function removeSource(
  bridge: Bridge,
  name: string,
  { atOnce, signal }: RemovalOptions,
): Promise<void> {
  const { database, clock } = bridge;
  const publishSite = () => patiently(() => bridge.publisher.publishSite(bridge.sets()));
  const lease = await acquireLease(database, name, clock.now().getTime());
  try {
    // A set that has become private since it was published is not served again.
    await publishSite();
    await deleteAll(database, lease, () => instant(clock), signal);
    if (atOnce) {
      await endSubscriptions(bridge, name);
      await removeRest(bridge, lease, name, signal);
    }
  } finally {
    await releaseLease(database, lease);
  }
  if (!atOnce) {
    await publishLast(bridge, name, signal);
    await endSubscriptions(bridge, name);
  }
  await publishSite();
}

const mostListed = 10_000;

/** Who is told of its sets, or waits for them to be told of again. */
export async function subscriptionsOf(
  { database }: Pick<Bridge, 'database'>,
  name: string,
): Promise<readonly ListedSubscription[]> {
  const topics = await topicsOfSource(database.reader, name);
  const topicIds = topics.map(({ id }) => id);
  return topicIds.length === 0 ? [] : listSubscriptions(database.reader, { topicIds, limit: mostListed });
}

async function endSubscriptions({ database, config }: Bridge, name: string): Promise<void> {
  const now = await lookAtClock(database);
  await endTopicsOfSource(database, name, (topic) => `${config.baseUrl}/${topic}`, now);
}

/** What somebody has asked those who work at the database to remove. */
export async function removeDue(
  bridge: Bridge,
  name: string,
  options: RemovalOptions,
): Promise<'done' | 'put-off'> {
  const { log, config, database } = bridge;
  // It was configured again, or another process has come to the end of it.
  const isGone = Object.hasOwn(config.sources, name) || !(await findSource(database.reader, name));
  if (isGone) return 'done';
  try {
    await removeSource(bridge, name, options);
    log.info({ source: name, atOnce: options.atOnce }, 'source removed');
    return 'done';
  } catch (error) {
    const expected = options.signal.aborted || isBridgeError(error, 'lease-held');
    log[expected ? 'debug' : 'error']({ source: name, ...failure(error) }, 'source not removed yet');
    return 'put-off';
  }
}

/** Rows last: as long as they are there, the next call knows what is left. */
async function removeRest(
  { database, config, clock }: Bridge,
  lease: Lease,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const { directory } = config;
  await removePublished(directory, name);
  await rm(join(directory, 'lists-in-time', name), { recursive: true, force: true });
  await purgeSource(database, lease, () => instant(clock), signal);
  const now = toIso(clock.now());
  const followedUpTo = new Map<number, number>();
  await removeUnreferenced({ database, directory, followedUpTo, now, urgent: true, signal });
}

/** What those who follow the source read last. */
async function publishLast(
  { publisher, config, database, jointSets }: Bridge,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  if (!(await isRemoved(database.writer, name))) return;
  for (const set of await lastSetsOf(config.directory, name)) {
    await patiently(() => publisher.publish(set, { resourceList: 'always', flat: 'always', signal }));
  }
  for (const set of jointSets())
    await patiently(() => publisher.publish(set, { resourceList: 'if-missing', signal }));
}

/**
 * The sets of a source, which the configuration does not know any more: the two that each source has, even if nobody knows what was
 * published of it, and others as they were published last.
 */
async function lastSetsOf(directory: string, name: string): Promise<readonly ResourceSet[]> {
  const root = publicationRoot(directory);
  const { sets = [], left = [] } = (await readPointer(root)) ?? {};
  const own = resourceSets(name);
  const others = [...sets, ...left].filter((path) => path.split('/', 1)[0] === name);
  const last: ResourceSet[] = [];
  for (const path of new Set([...own.map((set) => set.path), ...others])) {
    const pointer = await readPointer(join(root, ...path.split('/')));
    const filter =
      own.find((set) => set.path === path)?.filter ?? (pointer?.definition && filterOf(pointer.definition));
    if (!filter) continue;
    const dumps = pointer?.dumps !== undefined || pointer?.changeDump !== undefined;
    last.push({
      path,
      source: name,
      title: path,
      filter,
      dumps,
      mirrors: [],
      mementos: 'none',
      ofDeleted: false,
    });
  }
  return last;
}

const attempts = 50;
const pauseMs = 200;

/** Beside `serve` a set is often being published, but seldom for long. */
async function patiently(work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (!isBridgeError(error, 'publication-busy') || attempt >= attempts) throw error;
      await sleep(pauseMs);
    }
  }
}
