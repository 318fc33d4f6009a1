import type { StoredBridge } from '../../bridge/stored-bridge.ts';
import { countOf } from '../../core/count-of.ts';
import { addSeconds, toIso } from '../../core/datetime.ts';
import { BridgeError } from '../../core/errors.ts';
import { firstPassAt, lastSeqBefore, readJournals } from '../../store/sources/journal.ts';
import { countPast, type PastCounts } from '../../store/sources/past-counts.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';

/** What each source held at a moment, and how much has changed since. */
export async function statusAt(
  bridge: StoredBridge,
  {
    at,
    json,
    sources = [],
  }: { readonly at: string; readonly json: boolean; readonly sources?: readonly string[] },
  io: CommandIo,
): Promise<number> {
  const { database, config, clock } = bridge;
  const now = toIso(clock.now());
  if (at > now) throw new BridgeError('usage', `${at} lies in the future`);
  const journals = await readJournals(database.reader);
  for (const name of sources.length > 0 ? sources : Object.keys(config.sources)) {
    const journal = journals.get(name);
    const seq = journal
      ? await lastSeqBefore(database.reader, journal.sourceId, journal.seq, addSeconds(at, 1))
      : 0;
    const counts = journal && (await countPast(database.reader, journal.sourceId, seq));
    const knownSince = journal && (await firstPassAt(database.reader, journal));
    printResult(
      io,
      json,
      { name, at, seq, knownSince, ...(counts ?? nothing) },
      describe(name, at, knownSince, counts),
    );
  }
  return exitCodes.ok;
}

const nothing: PastCounts = {
  items: 0,
  resources: 0,
  bytes: 0,
  changes: { created: 0, updated: 0, deleted: 0 },
};

function describe(
  name: string,
  at: string,
  knownSince: string | undefined,
  { items, resources, bytes, changes }: PastCounts = nothing,
): string {
  const { created, updated, deleted } = changes;
  const incomplete =
    knownSince !== undefined && at >= knownSince
      ? []
      : [
          `  ! not all of it: the first complete pass over it ended ${knownSince === undefined ? 'never' : `at ${knownSince}`}`,
        ];
  return [
    `${name} at ${at}: ${countOf(items, 'item')}, ${countOf(resources, 'resource')}, ${countOf(bytes, 'octet')}`,
    `  since then ${created} created, ${updated} updated, ${deleted} deleted`,
    ...incomplete,
  ].join('\n');
}
