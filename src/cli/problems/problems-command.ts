import { once } from 'node:events';
import type { Bridge } from '../../bridge/bridge.ts';
import { forReading } from '../../bridge/stored-bridge.ts';
import { countOf } from '../../core/count-of.ts';
import { BridgeError } from '../../core/errors.ts';
import { problemsCsv } from '../../server/admin/problems/problems-csv.ts';
import { countUnreadable, listUnreadable, type Unreadable } from '../../store/runs/unreadable.ts';
import { findCause, listCauses } from '../../store/runs/unreadable-causes.ts';
import { findSource } from '../../store/sources/sources.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { printable, printableJson } from '../terminal/terminal-text.ts';
import { withBridge } from '../terminal/with-bridge.ts';

const pageSize = 100;
const mostCauses = 1000;

export interface ProblemsFlags {
  readonly config?: string;
  readonly json: boolean;
  readonly raw: boolean;
  readonly item?: string;
  /** The id of a cause. */
  readonly cause?: string;
  readonly causes?: boolean;
  readonly csv?: boolean;
}

/** Records that could not be read and have not been read well since, of one source or of all. */
export async function problemsCommand(
  name: string | undefined,
  flags: ProblemsFlags,
  io: CommandIo,
): Promise<number> {
  return withBridge(flags, io, 'nothing', async (bridge) => {
    if (flags.csv) return printCsv(bridge, name, flags, io);
    const names = bridge.sources(name === undefined ? [] : [name]).map((source) => source.name);
    let total = 0;
    const reading = await forReading(bridge);
    for (const source of names) total += await printProblems(reading, source, flags, io);
    if (total === 0 && !flags.json) printResult(io, false, {}, nothing(name, flags.item));
    return total === 0 ? exitCodes.ok : exitCodes.needsAttention;
  });
}

function nothing(name: string | undefined, item: string | undefined): string {
  const place = name === undefined ? '' : `${name}: `;
  return item === undefined
    ? `${place}every record could be read`
    : `${place}no problem is known of ${printable(item)}`;
}

/** For spreadsheets. */
async function printCsv(
  bridge: Bridge,
  name: string | undefined,
  { cause: id }: ProblemsFlags,
  io: CommandIo,
): Promise<number> {
  if (name === undefined)
    throw new BridgeError('usage', '--csv is of one source: rsbridge problems SOURCE --csv');
  bridge.sources([name]);
  const { reader } = bridge.database;
  const stored = await findSource(reader, name);
  const cause = stored && id !== undefined ? await findCause(reader, stored.id, id) : undefined;
  if (id !== undefined && cause === undefined) throw unknownCause(name);
  for await (const text of problemsCsv(reader, stored?.id, cause))
    if (!io.stdout.write(text)) await once(io.stdout, 'drain');
  const total = stored === undefined ? 0 : await countUnreadable(reader, stored.id);
  return total === 0 ? exitCodes.ok : exitCodes.needsAttention;
}

export function unknownCause(source: string): BridgeError {
  return new BridgeError(
    'usage',
    `no record of ${source} that could not be read has this cause, now; rsbridge problems ${source} --causes lists them`,
  );
}

/** @returns how many there are */
async function printProblems(
  { database }: Bridge,
  source: string,
  { json, raw, item, cause: id, causes = false }: ProblemsFlags,
  io: CommandIo,
): Promise<number> {
  const stored = await findSource(database.reader, source);
  const count = stored === undefined ? 0 : await countUnreadable(database.reader, stored.id);
  if (stored === undefined || count === 0) return 0;
  if (!json && item === undefined)
    printResult(io, false, {}, `${source}: ${countOf(count, 'record')} could not be read`);
  if (causes) {
    for (const cause of await listCauses(database.reader, stored.id, mostCauses)) {
      const { id: short, count: records, message, code, lastSeenAt } = cause;
      const text = `  ${short}  ${countOf(records, 'record')}: ${printable(message)} [${code}], last seen ${lastSeenAt}`;
      printResult(io, json, { source, ...cause }, text);
    }
    return count;
  }
  const cause = id === undefined ? undefined : await findCause(database.reader, stored.id, id);
  if (id !== undefined && cause === undefined) return 0;
  let total = 0;
  for (let after = 0; !io.stop.aborted; ) {
    const page = { after, limit: pageSize, raw: raw || item !== undefined, identifier: item, cause };
    const some = await listUnreadable(database.reader, stored.id, page);
    const last = some.at(-1);
    if (last === undefined) break;
    after = last.id;
    total += some.length;
    for (const one of some) {
      const { id: _, ...said } = one;
      const cut = isCut(one);
      const data = { source, ...said, ...(cut === undefined ? {} : { rawCut: cut }) };
      io.stdout.write(json ? `${printableJson(data)}\n` : `${describe(source, one)}\n`);
    }
  }
  return total;
}

function describe(source: string, problem: Unreadable): string {
  const { identifier, format, message, code, runId, firstSeenAt, lastSeenAt, repairs = [] } = problem;
  const where = format === undefined ? '' : ` (${printable(format)})`;
  const again =
    identifier === undefined || /['\\\s]/.test(identifier)
      ? []
      : [`    read it again: rsbridge harvest ${source} --item '${printable(identifier)}'`];
  return [
    `  ${printable(identifier ?? '(no identifier)')}${where}: ${printable(message)} [${code}]`,
    `    first seen ${firstSeenAt}, last seen ${lastSeenAt} by run ${runId}${sizeOf(problem)}`,
    ...(repairs.length === 0 ? [] : [`    mended before it was given up: ${printable(repairs.join('; '))}`]),
    ...again,
    ...rawLines(problem),
  ].join('\n');
}

function sizeOf({ rawLength, raw }: Unreadable): string {
  if (rawLength === undefined) return '; the record itself was not kept';
  return raw === undefined ? `; ${countOf(rawLength, 'byte')} as it came (--raw shows them)` : '';
}

function isCut({ raw, rawLength }: Unreadable): boolean | undefined {
  return raw === undefined || rawLength === undefined ? undefined : Buffer.byteLength(raw) < rawLength;
}

function rawLines(problem: Unreadable): readonly string[] {
  const { raw, rawLength } = problem;
  if (raw === undefined) return [];
  const lines = raw.split(/\r?\n/).map((line) => `    | ${printable(line)}`);
  const kept = Buffer.byteLength(raw);
  return isCut(problem) ? [...lines, `    … cut: the first ${kept} of ${rawLength} bytes were kept`] : lines;
}
