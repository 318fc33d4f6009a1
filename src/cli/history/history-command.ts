import { once } from 'node:events';
import type { Bridge } from '../../bridge/bridge.ts';
import { forReading } from '../../bridge/stored-bridge.ts';
import { findTarget } from '../../bridge/withdrawals/find-target.ts';
import { BridgeError } from '../../core/errors.ts';
import { type PastVersion, type ResourcePast, toPast, versionAt } from '../../core/time/resource-past.ts';
import { whyWithheld } from '../../core/time/withheld.ts';
import { toUri } from '../../core/uris.ts';
import type { ResourceHistory } from '../../store/history/timelines.ts';
import { listVersionSteps } from '../../store/history/version-steps.ts';
import { readContents } from '../../store/payloads/contents.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import type { CommandIo } from '../terminal/io.ts';
import { printable } from '../terminal/terminal-text.ts';
import { withBridge } from '../terminal/with-bridge.ts';
import { chooseVersions, compareVersions } from './history-difference.ts';
import { describeAbsence, printDifference, printHistory, printItem } from './history-view.ts';

export interface HistoryFlags {
  readonly config?: string;
  readonly json: boolean;
  /** ISO: print the bytes of the version of then. */
  readonly at?: string;
  /** `A..B`: numbers or datetimes; false: no difference at all. */
  readonly diff?: string | false;
  /** Show everything, however long it is. */
  readonly all: boolean;
}

/** What a resource was, and when, and what changed between two of its versions. */
export async function historyCommand(text: string, flags: HistoryFlags, io: CommandIo): Promise<number> {
  return withBridge(flags, io, 'nothing', async (opened) => {
    const bridge = await forReading(opened);
    const target = await findTarget(bridge, text);
    if (target.kind === 'item') {
      if (flags.at !== undefined || flags.diff) throw severalResources(bridge, target.item.resources);
      printItem(target.item, bridge.config.baseUrl, flags.json, io);
      return exitCodes.ok;
    }
    const { history } = target;
    const past = toPast(
      history.timeline,
      await listVersionSteps(bridge.database.reader, history.source, history.path),
    );
    if (flags.at !== undefined) {
      await writeBytes(bridge, history, past, flags.at, io);
      return exitCodes.ok;
    }
    const pair = flags.diff === false ? undefined : chooseVersions(past, flags.diff);
    const { ofDeleted = true } = bridge.config.sources[history.source]?.mementos ?? {};
    const withheld = whyWithheld(history, ofDeleted);
    printHistory(history, past, { baseUrl: bridge.config.baseUrl, withheld, ...flags }, io);
    if (!pair) return exitCodes.ok;
    const difference = await compareVersions(bridge, history, pair, flags.all);
    printDifference(difference, flags.json, io);
    return difference.damage === undefined ? exitCodes.ok : exitCodes.storage;
  });
}

function severalResources({ config }: Bridge, resources: readonly { readonly path: string }[]): BridgeError {
  const uris = resources.slice(0, 20).map(({ path }) => toUri(config.baseUrl, path));
  return new BridgeError(
    'usage',
    `that is an item, which has several resources; name one: ${uris.join(', ')}`,
  );
}

/** Exactly the bytes, and nothing else. */
async function writeBytes(
  bridge: Bridge,
  history: ResourceHistory,
  past: ResourcePast,
  at: string,
  io: CommandIo,
): Promise<void> {
  const version = versionAt(past, at);
  if (version?.state !== 'kept') throw noBytes(history, past, version, at);
  const owner = { path: history.path, hash: version.hash, length: version.length };
  const { database, config } = bridge;
  for await (const { content } of readContents(database.reader, config.directory, [owner], {
    signal: io.abort,
  })) {
    const chunks = content.coding === 'file' ? content.chunks : [content.bytes];
    for await (const chunk of chunks) {
      if (!io.stdout.write(Buffer.from(chunk))) await once(io.stdout, 'drain');
    }
  }
}

function noBytes(
  { path }: ResourceHistory,
  { versions, gaps }: ResourcePast,
  version: PastVersion | undefined,
  at: string,
): BridgeError {
  const gap = gaps.findLast(({ from }) => from <= at);
  const first = versions[0]?.from;
  const reason = version
    ? describeAbsence(version)
    : first === undefined
      ? 'no version of it was stored'
      : at < first
        ? `nothing is known of it before ${first}`
        : `it was deleted from ${gap?.from ?? at} ${gap?.until === undefined ? 'on' : `until ${gap.until}`}`;
  return new BridgeError('no-memento', printable(`there is no ${path} as of ${at}: ${reason}`));
}
