import type { Bridge } from '../../bridge/bridge.ts';
import { hostNotPublic } from '../../core/addresses/private-address.ts';
import { areCountOf, countOf } from '../../core/count-of.ts';
import { toIso } from '../../core/datetime.ts';
import { settleNow } from '../../harvest/files/note-refusal.ts';
import { countFilesOf } from '../../store/files/file-counts.ts';
import { acceptRefusals } from '../../store/files/refusals.ts';
import {
  countUnpublished,
  listUnpublishedFiles,
  type UnpublishedCounts,
  type UnpublishedFile,
} from '../../store/files/unpublished-files.ts';
import {
  countWithheldFiles,
  listWithheldFiles,
  totalOf,
  type WithheldCounts,
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
  /** Also the files that are not published. */
  readonly all: boolean;
}

const pageSize = 500;

/**
 * Published files of a source that are not handed out, because their server says no or their address may not be asked,
 * and what to type to let them go; and how many are not published for the same reasons.
 */
export async function refusedCommand(name: string, flags: RefusedFlags, io: CommandIo): Promise<number> {
  return withBridge(flags, io, 'nothing', async (bridge) => {
    bridge.source(name);
    const stored = await findSource(bridge.database.reader, name);
    const { accept } = flags;
    if (stored && accept !== undefined) await acceptThem(bridge, name, stored.id, accept, flags, io);
    const { reader } = bridge.database;
    const counts = stored && (await countWithheldFiles(reader, stored.id));
    const count = counts ? totalOf(counts) : 0;
    const tell = (sentence: string) => {
      if (!flags.json) printResult(io, false, {}, sentence);
    };
    if (!stored || !counts || count === 0) {
      tell(`${name}: every published file is served`);
      if (stored) await tellUnpublished(bridge, { name, id: stored.id }, flags, io);
      return io.stop.aborted ? exitCodes.interrupted : exitCodes.ok;
    }
    const held = counts.fuseAt === undefined ? '' : `, too many at once to be deleted without your consent`;
    tell(`${name}: ${countOf(count, 'published file')} not served${held}:`);
    let latest = '';
    for await (const file of pages((after) =>
      listWithheldFiles(reader, stored.id, { after, limit: pageSize }),
    )) {
      const { id: _, hash: __, ...said } = file;
      if ((file.since ?? '') > latest) latest = file.since ?? '';
      const whole = { source: name, published: true, ...said, atPrivateAddress: isNotAsked(file) };
      printResult(io, flags.json, whole, describeFile(file, bridge.config.baseUrl));
      if (io.stop.aborted) return exitCodes.interrupted;
    }
    await tellUnpublished(bridge, { name, id: stored.id }, flags, io);
    tell(adviceFor(name, counts, latest));
    return io.stop.aborted ? exitCodes.interrupted : exitCodes.needsAttention;
  });
}

function isNotAsked({ reason }: Pick<WithheldFile, 'reason'>): boolean {
  return hostNotPublic(reason) !== undefined;
}

function adviceFor(name: string, { refused, gone, atPrivateAddresses }: WithheldCounts, latest: string) {
  const others = refused + gone > 0 ? ['they are served again as soon as their server allows it'] : [];
  const ours =
    atPrivateAddresses > 0
      ? [`${areCountOf(atPrivateAddresses, 'file')} at addresses that are not public: ${howToAllow}`]
      : [];
  const toDelete = `to delete exactly these: rsbridge refused ${name} --accept ${latest}`;
  return [...others, ...ours, toDelete].join('; ');
}

const howToAllow =
  '`network.allow` or `allowPrivateAddresses` allows them, and the next harvest asks for them again';

/** How many files are not published, and why; with `--all` each of them. */
async function tellUnpublished(
  { database: { reader } }: Bridge,
  source: { readonly name: string; readonly id: number },
  flags: RefusedFlags,
  io: CommandIo,
): Promise<void> {
  const files = (await countFilesOf(reader, [source.id]))(source.id);
  const withheld = await countWithheldFiles(reader, source.id);
  const sentence = describeUnpublished(source.name, countUnpublished(files, withheld), flags.all);
  if (sentence !== undefined && !flags.json) printResult(io, false, {}, sentence);
  if (!flags.all) return;
  for await (const file of pages((after) =>
    listUnpublishedFiles(reader, source.id, { after, limit: pageSize }),
  )) {
    const { id: _, ...said } = file;
    printResult(io, flags.json, { source: source.name, published: false, ...said }, describeOther(file));
    if (io.stop.aborted) return;
  }
}

function describeUnpublished(
  name: string,
  { refused, gone, atPrivateAddresses: hidden }: UnpublishedCounts,
  all: boolean,
): string | undefined {
  const parts = [
    ...(refused > 0 ? [`${refused} refused by their servers`] : []),
    ...(gone > 0 ? [`${gone} gone from their servers`] : []),
    ...(hidden > 0 ? [`${hidden} never asked for, at addresses that are not public: ${howToAllow}`] : []),
  ];
  if (parts.length === 0) return undefined;
  const where = all ? ':' : `; rsbridge refused ${name} --all lists them`;
  return `${name}: ${areCountOf(refused + gone + hidden, 'file')} not published: ${parts.join(', ')}${where}`;
}

function describeOther({ url, reason, checkedAt }: UnpublishedFile): string {
  return `  ${printable(url)}: ${printable(reason ?? 'it is refused')}, seen last at ${checkedAt ?? 'no known time'}`;
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

async function* pages<File extends { readonly id: number }>(
  read: (after: number) => Promise<readonly File[]>,
): AsyncGenerator<File> {
  for (let after = 0; ; ) {
    const page = await read(after);
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
