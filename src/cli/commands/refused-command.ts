import type { Bridge } from '../../bridge/bridge.ts';
import { countOf } from '../../core/count-of.ts';
import { toIso } from '../../core/datetime.ts';
import { settleNow } from '../../harvest/files/note-refusal.ts';
import { acceptRefusals } from '../../store/files/refusals.ts';
import {
  countWithheldFiles,
  listWithheldFiles,
  type WithheldFile,
} from '../../store/files/withheld-files.ts';
import { findSource } from '../../store/sources/sources.ts';
import { noteCommand } from '../terminal/actor.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult, say } from '../terminal/io.ts';
import { printable } from '../terminal/terminal-text.ts';
import { withBridge } from '../terminal/with-bridge.ts';

export interface RefusedFlags {
  readonly config?: string;
  readonly json: boolean;
  /** Those that were listed as withheld since then at the latest; ISO. */
  readonly accept?: string;
}

const pageSize = 500;

/** Published files of a source that are not handed out, because their server says no; and what to type to let them go. */
export async function refusedCommand(name: string, flags: RefusedFlags, io: CommandIo): Promise<number> {
  return withBridge(flags, io, 'nothing', async (bridge) => {
    bridge.source(name);
    const stored = await findSource(bridge.database.reader, name);
    const { accept } = flags;
    if (stored && accept !== undefined) await acceptThem(bridge, name, stored.id, accept, flags, io);
    const counts = stored && (await countWithheldFiles(bridge.database.reader, stored.id));
    const count = counts ? counts.refused + counts.gone : 0;
    if (!stored || count === 0) {
      if (!flags.json) printResult(io, false, {}, `${name}: every published file is served`);
      return exitCodes.ok;
    }
    if (!flags.json) {
      const held =
        counts?.fuseAt === undefined ? '' : `, too many at once to be deleted without your consent`;
      printResult(io, false, {}, `${name}: ${countOf(count, 'published file')} not served${held}:`);
    }
    let latest = '';
    for await (const file of withheldFiles(bridge, stored.id)) {
      const { id: _, hash: __, ...said } = file;
      if ((file.since ?? '') > latest) latest = file.since ?? '';
      printResult(io, flags.json, { source: name, ...said }, describeFile(file, bridge.config.baseUrl));
      if (io.stop.aborted) return exitCodes.interrupted;
    }
    if (!flags.json) {
      const advice = `they are served again as soon as their server allows it; to delete exactly these: rsbridge refused ${name} --accept ${latest}`;
      printResult(io, false, {}, advice);
    }
    return exitCodes.needsAttention;
  });
}

async function acceptThem(
  bridge: Bridge,
  name: string,
  sourceId: number,
  until: string,
  flags: RefusedFlags,
  io: CommandIo,
): Promise<void> {
  const { database, clock } = bridge;
  const accepted = await acceptRefusals(database, sourceId, until, toIso(clock.now()));
  const settled = await settleNow(bridge, name, bridge.source(name).config);
  await noteCommand(bridge, 'accepted refusals', `${name} until ${until}: ${accepted}`);
  const report = { source: name, accepted, deleted: settled?.deleted };
  const said = `${name}: ${countOf(accepted, 'file')} withheld since ${until} or before: ${settled ? `${settled.deleted} deleted` : 'the harvest that is going on deletes them within a minute'}`;
  printResult(io, flags.json, report, said);
  if (accepted === 0) say(io, `nothing was withheld at ${until}; rsbridge refused ${name} says what is now`);
}

async function* withheldFiles({ database }: Bridge, sourceId: number): AsyncGenerator<WithheldFile> {
  for (let after = 0; ; ) {
    const page = await listWithheldFiles(database.reader, sourceId, { after, limit: pageSize });
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.id;
    yield* page;
  }
}

function describeFile({ path, url, outcome, reason, since }: WithheldFile, baseUrl: string): string {
  const why = reason ?? (outcome === 'gone' ? 'it is not there' : 'it is refused');
  const own = path === url ? '' : `${baseUrl}/${path}: `;
  return `  ${own}${printable(url)}: ${printable(why)}, since ${since ?? 'a moment ago'}`;
}
