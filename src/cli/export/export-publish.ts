import type { Bridge } from '../../bridge/bridge.ts';
import { announcePrivateSets, namesPrivate } from '../../bridge/withdrawals/private-sets.ts';
import { addSeconds, toIso, utcDay } from '../../core/datetime.ts';
import { describeError, type ErrorCode, isBridgeError } from '../../core/errors.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { readPublicationSnapshot, type SnapshotSet } from '../../export/site/publication-snapshot.ts';
import type { PublishOptions } from '../../publish/publisher.ts';
import { readJournal } from '../../store/sources/journal.ts';
import { type CommandIo, say } from '../terminal/io.ts';
import type { Progress } from '../terminal/progress.ts';
import { createPublishProgress } from '../terminal/publish-progress.ts';

/** A longer Resource List is renewed once a day, as `serve` does; a shorter one whenever something changed. */
const smallList = 50_000;
const dumpDays = 7;

/**
 * Publishes what is new, so that an export shows the repository as it is. What another process is publishing
 * (`rsbridge serve`), or what cannot be published now, is exported as it was published last.
 */
export async function publishForExport(bridge: Bridge, progress: Progress): Promise<void> {
  const { config, publisher } = bridge;
  const { io } = progress;
  const publishing = createPublishProgress(
    progress,
    bridge.sets().map(({ path }) => path),
  );
  await announcePrivateSets(bridge, { stop: io.stop, signal: io.abort });
  const published = await readPublicationSnapshot(config.directory, config.baseUrl);
  for (const set of bridge.sets()) {
    if (io.stop.aborted) return;
    publishing.begin(set.path);
    const onProgress = publishing.of(set.path);
    const due = await whatIsDue(
      bridge,
      set,
      published?.sets.find(({ path }) => path === set.path),
    );
    await tolerantly(io, set.path, async () => {
      const { published: exists } = await publisher.publish(set, {
        resourceList: due.resourceList,
        signal: io.abort,
        onProgress,
      });
      if (!exists || !set.dumps) return;
      await publisher.publishDumps(set, { resourceDump: due.resourceDump, signal: io.abort, onProgress });
    });
  }
  await tolerantly(io, 'the Source Description', () => publisher.publishSite(bridge.sets()));
  publishing.end();
}

type Due = PublishOptions['resourceList'];

async function whatIsDue(
  bridge: Bridge,
  set: ResourceSet,
  known: SnapshotSet | undefined,
): Promise<{ readonly resourceList: Due; readonly resourceDump: Due }> {
  const { database, clock } = bridge;
  const seq = (await readJournal(database.reader, set.source))?.seq ?? 0;
  const now = toIso(clock.now());
  const { resourceList: list, resourceDump: dump } = known ?? {};
  const listIsOld = list && (list.at < utcDay(now) || (known?.entries ?? 0) <= smallList);
  const dumpIsOld = dump && dump.at < addSeconds(now, -dumpDays * 86_400);
  const isShut = list !== undefined && (await namesPrivate(bridge, set, list.at));
  return {
    resourceList: isShut || (listIsOld && list.seq < seq) ? 'always' : 'if-missing',
    resourceDump: dumpIsOld && dump.seq < seq ? 'always' : 'if-missing',
  };
}

const tolerable: readonly ErrorCode[] = ['publication-busy', 'unknown-collection', 'content-damaged'];

async function tolerantly(io: CommandIo, what: string, publish: () => Promise<void>): Promise<void> {
  try {
    await publish();
  } catch (error) {
    if (!isBridgeError(error) || !tolerable.includes(error.code)) throw error;
    const reason =
      error.code === 'publication-busy' ? 'another process is publishing it' : describeError(error);
    say(io, `${what}: exported as it was published last; ${reason}`);
  }
}
