import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bridge } from '../../bridge/bridge.ts';
import { unconfiguredSources } from '../../bridge/state/stored-sources.ts';
import { countOf } from '../../core/count-of.ts';
import { toIso } from '../../core/datetime.ts';
import { eitherOf } from '../../core/either-signal.ts';
import { BridgeError, isBridgeError } from '../../core/errors.ts';
import type { ResourceSet, SetFilter } from '../../core/resource-set.ts';
import { fromSegment } from '../../core/segment.ts';
import { instant } from '../../harvest/harvest-source.ts';
import { readPointer } from '../../publish/disk/pointer.ts';
import { publicationRoot } from '../../publish/published/publication.ts';
import { removeUnreferenced } from '../../store/payloads/unreferenced-blobs.ts';
import { deleteAll, isRemoved, purgeSource } from '../../store/removal/removed-sources.ts';
import { acquireLease, type Lease, releaseLease } from '../../store/runs/leases.ts';
import { countSource, findSource } from '../../store/sources/sources.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { withBridge } from '../terminal/with-bridge.ts';

export interface RemoveFlags {
  readonly config?: string;
  readonly json: boolean;
  readonly atOnce: boolean;
  readonly dryRun: boolean;
}

/** Removes a source that is not configured any more: first for those who follow it, then for good. */
export async function removeCommand(name: string, flags: RemoveFlags, io: CommandIo): Promise<number> {
  return withBridge(flags, io, 'warnings', async (bridge) => {
    await refuseOthers(bridge, name);
    const { database, clock } = bridge;
    const stored = await findSource(database.writer, name);
    const counts = stored && (await countSource(database.writer, stored.id, toIso(clock.now())));
    const resources = counts?.resources ?? 0;
    const said = { source: name, atOnce: flags.atOnce, resources };
    if (flags.dryRun) {
      const what = flags.atOnce ? 'remove everything of it' : 'announce the deletion of all of it';
      const message = `${name}: ${countOf(resources, 'resource')}; would ${what} (dry run, nothing changed)`;
      printResult(io, flags.json, { dryRun: true, ...said }, message);
      return exitCodes.ok;
    }
    const lease = await acquireLease(database, name, clock.now().getTime());
    const ending = eitherOf(io.stop, io.abort);
    try {
      await deleteAll(database, lease, () => instant(clock), ending);
      if (flags.atOnce) await removeRest(bridge, lease, name, ending);
    } catch (error) {
      if (!ending.aborted) throw error;
      throw new BridgeError('interrupted', `stopped as asked; what is left of ${name} goes the next time`, {
        cause: error,
      });
    } finally {
      await releaseLease(database, lease);
    }
    if (!flags.atOnce) await publishLast(bridge, name, io);
    await patiently(() => bridge.publisher.publishSite(bridge.sets()));
    printResult(io, flags.json, said, describe(name, resources, flags.atOnce));
    return exitCodes.ok;
  });
}

function describe(name: string, resources: number, atOnce: boolean): string {
  return atOnce
    ? `${name} is removed: its rows, contents and documents are gone, and its addresses answer 404`
    : `${name}: ${countOf(resources, 'resource')} deleted; their addresses answer 410, and the Change Lists say so to those who follow them. Later, rsbridge remove ${name} --at-once removes the rest`;
}

/** @throws BridgeError `source-configured`, `unknown-source` */
async function refuseOthers(bridge: Bridge, name: string): Promise<void> {
  if (Object.hasOwn(bridge.config.sources, name)) {
    throw new BridgeError(
      'source-configured',
      `${name} is in the configuration, and would be harvested again`,
    );
  }
  const known = await unconfiguredSources(bridge);
  if (known.some((source) => source.name === name)) return;
  const names = known.map((source) => source.name).join(', ') || 'none';
  throw new BridgeError(
    'unknown-source',
    `there is no source called ${name} in the store; in the store and not in the configuration: ${names}`,
  );
}

/** Rows last: as long as they are there, the next call knows what is left. */
async function removeRest(
  { database, config, clock }: Bridge,
  lease: Lease,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const { directory } = config;
  for (const place of [publicationRoot(directory), join(directory, 'lists-in-time')]) {
    await rm(join(place, name), { recursive: true, force: true });
  }
  await purgeSource(database, lease, () => instant(clock), signal);
  const now = toIso(clock.now());
  const followedUpTo = new Map<number, number>();
  await removeUnreferenced({ database, directory, followedUpTo, now, urgent: true, signal });
}

/** What those who follow the source read last. */
async function publishLast(
  { publisher, config, database, jointSets }: Bridge,
  name: string,
  io: CommandIo,
): Promise<void> {
  if (!(await isRemoved(database.writer, name))) return;
  for (const set of await publishedSetsOf(config.directory, name)) {
    await patiently(() =>
      publisher.publish(set, { resourceList: 'always', flat: 'always', signal: io.abort }),
    );
  }
  for (const set of jointSets())
    await patiently(() => publisher.publish(set, { resourceList: 'if-missing', signal: io.abort }));
}

/** The sets of a source, as they were published last: the configuration does not know them any more. */
async function publishedSetsOf(directory: string, name: string): Promise<readonly ResourceSet[]> {
  const root = publicationRoot(directory);
  const paths = ((await readPointer(root))?.sets ?? []).filter((path) => path.split('/', 1)[0] === name);
  const sets: ResourceSet[] = [];
  for (const path of paths) {
    const pointer = await readPointer(join(root, ...path.split('/')));
    const { kind, formats, collections } = JSON.parse(pointer?.definition ?? '{}') as SetFilter;
    const specs = collections?.flatMap((segment) => fromSegment(segment) ?? []);
    const filter = { kind, formats, collections: specs };
    const dumps = pointer?.dumps !== undefined || pointer?.changeDump !== undefined;
    sets.push({
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
  return sets;
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
