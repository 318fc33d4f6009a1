import { once } from 'node:events';
import type { JudgedItem } from '../../bridge/quality/item-findings.ts';
import { judgeItems } from '../../bridge/quality/item-findings.ts';
import {
  type CountedFinding,
  countFindings,
  type FormatQuality,
} from '../../bridge/quality/quality-report.ts';
import { forReading } from '../../bridge/stored-bridge.ts';
import type { SourceConfig } from '../../core/config/config.ts';
import { isDspace, ownFormats } from '../../core/config/published-formats.ts';
import { countOf } from '../../core/count-of.ts';
import { BridgeError } from '../../core/errors.ts';
import { itemPath, toUri } from '../../core/uris.ts';
import { csvLine } from '../../server/admin/problems/csv-line.ts';
import { findSource } from '../../store/sources/sources.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { printable } from '../terminal/terminal-text.ts';
import { withBridge } from '../terminal/with-bridge.ts';

export interface QualityFlags {
  readonly config?: string;
  readonly json: boolean;
  readonly csv: boolean;
  readonly examples: number;
}

/**
 * What the records of a source lack for the aggregators in whose formats they are published.
 * @returns needsAttention where something mandatory is missing
 */
export async function qualityCommand(source: string, flags: QualityFlags, io: CommandIo): Promise<number> {
  return withBridge(flags, io, 'nothing', async (opened) => {
    const bridge = await forReading(opened);
    const { config, database } = bridge;
    bridge.sources([source]);
    const settings = config.sources[source];
    const stored = await findSource(database.reader, source);
    const uriOf = (identifier: string) => toUri(config.baseUrl, itemPath(source, identifier));
    const judged =
      stored && settings
        ? judgeItems(database, config.directory, { id: stored.id, settings }, io.stop)
        : nobody();
    if (flags.csv) return printCsv(judged, uriOf, io);
    const formats = await countFindings(judged, flags.examples);
    io.stop.throwIfAborted();
    if (formats.length === 0)
      throw new BridgeError(
        'usage',
        `${source} has no records in JPCOAR or OpenAIRE; ${toHaveThem(settings)}, and run rsbridge harvest ${source} --full`,
      );
    for (const format of formats) print(source, format, uriOf, flags.json, io);
    const isWanting = formats.some(({ findings }) => findings.some(({ level }) => level === 'M'));
    return isWanting ? exitCodes.needsAttention : exitCodes.ok;
  });
}

/** Formats that are not named are deleted: those that there are stand before the new ones. */
function toHaveThem(settings: SourceConfig | undefined): string {
  if (!settings || !isDspace(settings)) return 'name the one that its endpoint offers in `formats`';
  const all = new Set([...(ownFormats(settings) ?? []), 'jpcoar_2.0', 'oai_openaire']);
  return `give it \`formats: [${[...all].join(', ')}]\``;
}

async function* nobody(): AsyncGenerator<JudgedItem> {
  // Nothing has been read yet.
}

function print(
  source: string,
  { format, items, written, complete, findings }: FormatQuality,
  uriOf: (identifier: string) => string,
  json: boolean,
  io: CommandIo,
): void {
  const without = items === written ? '' : `, ${countOf(items - written, 'item')} not in it`;
  const head = `${source}, ${printable(format)}: ${countOf(written, 'record')}${without}; ${complete} with all that it asks for`;
  printResult(io, json, { source, format, items, written, complete }, head);
  for (const finding of findings) {
    const examples = finding.examples.map((identifier) => ({ identifier, uri: uriOf(identifier) }));
    const text = [describe(finding), ...examples.map(({ uri }) => `        ${uri}`)].join('\n');
    printResult(io, json, { source, format, ...finding, examples }, text);
  }
}

const verbs = { missing: 'missing', dropped: 'left out', replaced: 'replaced', moved: 'moved' } as const;

function describe({ kind, level, element, fields, items, message }: CountedFinding): string {
  const where = fields.length === 0 ? '' : ` (${printable(fields.join(', '))})`;
  const what = level === undefined ? verbs[kind] : `${verbs[kind]}, ${level}`;
  return `  ${countOf(items, 'item')}: ${element} ${what}${where}: ${message}`;
}

const columns = ['identifier', 'uri', 'format', 'finding', 'level', 'element', 'field', 'value', 'message'];

/** A line for each finding of each item, for those who mend them. */
async function printCsv(
  judged: AsyncIterable<JudgedItem>,
  uriOf: (identifier: string) => string,
  io: CommandIo,
): Promise<number> {
  let isWanting = false;
  // By the mark at its beginning spreadsheets know UTF-8.
  await write(io, `\uFEFF${csvLine(columns)}`);
  for await (const { identifier, format, findings } of judged) {
    const lines = findings.map(({ kind, level, element, field, value, message }) =>
      csvLine([identifier, uriOf(identifier), format, kind, level, element, field, value, message]),
    );
    isWanting ||= findings.some(({ level }) => level === 'M');
    if (lines.length > 0) await write(io, lines.join(''));
  }
  io.stop.throwIfAborted();
  return isWanting ? exitCodes.needsAttention : exitCodes.ok;
}

async function write(io: CommandIo, text: string): Promise<void> {
  if (!io.stdout.write(text)) await once(io.stdout, 'drain');
}
