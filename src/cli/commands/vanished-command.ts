import type { Bridge } from '../../bridge/bridge.ts';
import { rejectDeletions } from '../../bridge/sources/source-acts.ts';
import { countOf } from '../../core/count-of.ts';
import type { RunKind } from '../../store/runs/runs.ts';
import { countVanished, listVanished, unreadBy, type VanishedItem } from '../../store/runs/vanished.ts';
import { findSource } from '../../store/sources/sources.ts';
import { actor } from '../terminal/actor.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult, say } from '../terminal/io.ts';
import { printable } from '../terminal/terminal-text.ts';
import { withBridge } from '../terminal/with-bridge.ts';

const pageSize = 500;

/** What the latest finished pass of a source did not meet, and what to type to let it go. */
export async function vanishedCommand(
  name: string,
  flags: { config?: string; json: boolean },
  io: CommandIo,
): Promise<number> {
  return withBridge(flags, io, 'nothing', async (bridge) => {
    bridge.source(name);
    const { reader } = bridge.database;
    const stored = await findSource(reader, name);
    const { items, resources, runId } = stored
      ? await countVanished(reader, stored.id)
      : { items: 0, resources: 0, runId: undefined };
    const unread = stored && (await unreadBy(reader, stored.id));
    if (!stored || items === 0) {
      if (!flags.json) printResult(io, false, {}, `${name}: no item is missing from its list`);
      if (unread !== undefined) say(io, describeUnread(name, unread));
      return exitCodes.ok;
    }
    let first = true;
    for await (const item of suspects(bridge, stored.id)) {
      if (first && !flags.json) printResult(io, false, {}, heading(name, items, resources, item));
      first = false;
      const { itemId: _, ...said } = item;
      printResult(io, flags.json, { source: name, ...said }, describeItem(item));
      if (io.stop.aborted) return exitCodes.interrupted;
    }
    if (!flags.json) {
      const advice = `each is asked for once more, and what is there stays; to delete the others: rsbridge harvest ${name} --accept-deletions ${runId}; to keep all: rsbridge vanished ${name} --reject ${runId}`;
      printResult(io, false, {}, advice);
    }
    if (unread !== undefined) say(io, describeUnread(name, unread));
    return exitCodes.needsAttention;
  });
}

/** Keeps what a run did not find. */
export async function rejectCommand(
  name: string,
  run: number,
  flags: { config?: string; json: boolean },
  io: CommandIo,
): Promise<number> {
  return withBridge(flags, io, 'nothing', async (bridge) => {
    const kept = await rejectDeletions(bridge, name, run, actor());
    const text = `${name}: ${countOf(kept, 'resource')} that run ${run} did not find ${kept === 1 ? 'stays' : 'stay'} published, until a later harvest misses ${kept === 1 ? 'it' : 'them'} again`;
    printResult(io, flags.json, { source: name, run, kept }, text);
    return exitCodes.ok;
  });
}

function describeUnread(name: string, run: number): string {
  return `run ${run} could not read a part of the list (rsbridge status says which): items in that part are neither listed here nor deleted; rsbridge harvest ${name} --full reads it again, rsbridge harvest ${name} --item ID one item of it`;
}

async function* suspects({ database }: Bridge, sourceId: number): AsyncGenerator<VanishedItem> {
  for (let after = 0; ; ) {
    const page = await listVanished(database.reader, sourceId, after, pageSize);
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.itemId;
    yield* page;
  }
}

function heading(
  name: string,
  items: number,
  resources: number,
  { runId, pass, at }: Pick<VanishedItem, 'runId' | 'pass' | 'at'>,
): string {
  return `${name}: ${countOf(items, 'item')} (${countOf(resources, 'resource')}) not found by run ${runId}, ${describePass(pass)} that ended at ${at}; still published:`;
}

/** As a part of a sentence. */
export function describePass(pass: RunKind): string {
  return pass === 'identifiers' ? 'a harvest of identifiers' : 'a full harvest';
}

function describeItem({ identifier, formats, since, isUnclear }: VanishedItem): string {
  const unclear = isUnclear ? '; asked for it, the repository gave no clear answer' : '';
  return `  ${printable(identifier)} (${formats.map(printable).join(', ')}) missing since ${since}${unclear}`;
}
