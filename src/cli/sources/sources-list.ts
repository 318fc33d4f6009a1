import { stringify } from 'yaml';
import type { Bridge } from '../../bridge/bridge.ts';
import { settingsInForce } from '../../bridge/sources/settings-in-force.ts';
import type { Setting } from '../../server/deps.ts';
import { type KeptSource, listKeptSources } from '../../store/sources/kept-sources.ts';
import type { Pause } from '../../store/sources/pauses.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult, say } from '../terminal/io.ts';
import { printable } from '../terminal/terminal-text.ts';
import { withBridge } from '../terminal/with-bridge.ts';
import { dueLines, readDue } from './due-lines.ts';

export interface SourcesFlags {
  readonly config?: string;
  readonly json: boolean;
}

/** Every source: where it is configured, whether it is paused, and what is read. */
export async function listSources(flags: SourcesFlags, io: CommandIo): Promise<number> {
  return withBridge(flags, io, 'nothing', async (bridge) => {
    const kept = new Set((await keptIn(bridge)).map(({ name }) => name));
    const rows = Object.entries(bridge.config.sources).map(([name, { url, group, adapter, title }]) => {
      const { until, reason } = bridge.pauseOf(name) ?? {};
      const paused = bridge.pauseOf(name) !== undefined;
      return {
        name,
        from: kept.has(name) ? 'database' : 'file',
        paused,
        until,
        reason,
        group,
        adapter,
        url,
        title,
      };
    });
    if (flags.json) for (const row of rows) printResult(io, true, row, '');
    else
      io.stdout.write(
        table(
          rows.map((row) => [
            row.name,
            row.from,
            stateOf(bridge.pauseOf(row.name)),
            row.group ?? '',
            row.url,
          ]),
        ),
      );
    for (const problem of bridge.problems) say(io, problem);
    if (rows.length === 0 && !flags.json)
      say(io, 'there are no sources yet; rsbridge sources add URL adds one');
    return bridge.problems.length > 0 ? exitCodes.usage : exitCodes.ok;
  });
}

function stateOf(pause: Pause | undefined): string {
  if (!pause) return 'active';
  const until = pause.until === undefined ? '' : ` until ${pause.until}`;
  return `paused${until}${pause.reason === undefined ? '' : ` (${pause.reason})`}`;
}

/** Columns as wide as what is in them. */
export function table(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(printable));
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  );
  return cells
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** The settings of a source as they are in force, each with where it comes from. */
export async function showSource(name: string, flags: SourcesFlags, io: CommandIo): Promise<number> {
  return withBridge(flags, io, 'nothing', async (bridge) => {
    bridge.source(name);
    const { from, place, settings } = await settingsInForce(bridge, name);
    const pause = bridge.pauseOf(name);
    const due = await readDue(bridge, name);
    const lines = settings.map((one) => `  ${one.key}: ${inline(one.value)}   # ${originText(one)}`);
    printResult(
      io,
      flags.json,
      {
        name,
        from,
        place,
        pause,
        due,
        settings: Object.fromEntries(settings.map(({ key, ...one }) => [key, one])),
      },
      [`${name}:   # ${stateOf(pause)}`, ...dueLines(name, due), ...lines].join('\n'),
    );
    return exitCodes.ok;
  });
}

/** `file /etc/rsbridge.yaml (${VARIABLE})`, `group quiet`, `default`. */
export function originText({ from, place, through }: Setting): string {
  return [from, place, through && `(${through})`].filter((part) => part !== undefined).join(' ');
}

function inline(value: unknown): string {
  return stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim();
}

/** The sources of the database as JSON, which `rsbridge sources import` and a configuration can read. */
export async function exportSources(flags: SourcesFlags, io: CommandIo): Promise<number> {
  return withBridge(flags, io, 'nothing', async (bridge) => {
    const sources = Object.fromEntries((await keptIn(bridge)).map(({ name, settings }) => [name, settings]));
    io.stdout.write(`${JSON.stringify({ sources }, undefined, flags.json ? undefined : 2)}\n`);
    return exitCodes.ok;
  });
}

export function keptIn({ database }: Bridge): Promise<readonly KeptSource[]> {
  return listKeptSources(database.reader);
}
