import { countOf } from '../../core/count-of.ts';
import { toIso } from '../../core/datetime.ts';
import { BridgeError } from '../../core/errors.ts';
import { toCompared } from '../../server/api/json-views.ts';
import { type ComparedRun, compareRuns, type RunComparison } from '../../store/reading/run-comparison.ts';
import type { ChangedSetting } from '../../store/sources/run-settings.ts';
import { findSource } from '../../store/sources/sources.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { printable, printableJson } from '../terminal/terminal-text.ts';
import { withBridge } from '../terminal/with-bridge.ts';

export interface CompareFlags {
  readonly config?: string;
  readonly json: boolean;
  readonly compare?: number;
  readonly with?: number;
}

/** Two runs of a source beside one another, and the settings that were changed between them. */
export async function compareCommand(name: string, flags: CompareFlags, io: CommandIo): Promise<number> {
  const { compare, with: other, json } = flags;
  if (compare === undefined)
    throw new BridgeError('usage', `say which run: rsbridge runs ${name} --compare RUN --with ${other}`);
  return withBridge(flags, io, 'nothing', async ({ source, database, clock }) => {
    source(name);
    const db = database.reader;
    const stored = await findSource(db, name);
    const options = { with: other, now: toIso(clock.now()) };
    const found = stored && (await compareRuns(db, { id: stored.id, name }, compare, options));
    if (!found)
      throw new BridgeError(
        'usage',
        `${name} has no run of this number, now; rsbridge runs ${name} lists them`,
      );
    const { before, after, settings } = found;
    const whole = { before: before && toCompared(before), after: toCompared(after), settings };
    if (json) io.stdout.write(`${printableJson({ source: name, ...whole })}\n`);
    else printResult(io, false, {}, linesOf(name, found).join('\n'));
    return exitCodes.ok;
  });
}

const measures: readonly (readonly [string, (one: ComparedRun) => number | undefined])[] = [
  ['seconds', ({ seconds }) => seconds],
  ['pages', ({ run }) => run.pages],
  ['records read', ({ run }) => run.items],
  ['by its own count', ({ run }) => run.statedTotal],
  ['created', ({ run }) => run.created],
  ['updated', ({ run }) => run.updated],
  ['deleted', ({ run }) => run.deleted],
  ['unchanged', ({ run }) => run.unchanged],
  ['problems', ({ run }) => run.problems],
  ['requests', ({ run }) => run.requests],
  ['warnings', ({ warnings }) => warnings],
];

function linesOf(name: string, { before, after, settings }: RunComparison): readonly string[] {
  const runs = before ? [before, after] : [after];
  const head = runs.map(
    ({ run }) =>
      `run ${run.id} of ${name}: ${run.mode}, ${run.state}, began ${run.startedAt}${run.error === undefined ? '' : `: ${printable(run.error.message)} [${run.error.code}]`}`,
  );
  const rows = measures.map(([what, of]) => {
    const values = runs.map(of);
    const [first, second] = values;
    const difference = first === undefined || second === undefined ? undefined : second - first;
    const shown = values.map((value) => String(value ?? '–').padStart(10)).join('');
    return `  ${what.padEnd(17)}${shown}${difference === undefined ? '' : signed(difference).padStart(10)}`;
  });
  const alone = before ? [] : ['there is no run of the same kind before it that is still known'];
  return [...head, ...rows, ...alone, ...(before ? settingLines(settings) : [])];
}

function signed(difference: number): string {
  return difference > 0 ? `+${difference}` : String(difference);
}

function settingLines(settings: readonly ChangedSetting[] | undefined): readonly string[] {
  if (settings === undefined)
    return [
      'by which settings one of the two was done was not written down (before this version, or long ago)',
    ];
  if (settings.length === 0)
    return ['no setting was changed between the two; what is secret is not compared'];
  const shown = (setting: ChangedSetting, when: 'before' | 'after') =>
    when in setting ? printable(JSON.stringify(setting[when])) : 'not set';
  return [
    `${countOf(settings.length, 'setting')} changed between the two:`,
    ...settings.map((one) => `  ${one.key}: ${shown(one, 'before')} → ${shown(one, 'after')}`),
  ];
}
