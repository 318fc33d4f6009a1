import { type CrosswalkedItem, crosswalkItem } from '../../bridge/quality/crosswalked-item.ts';
import type { CrosswalkFinding } from '../../core/crosswalks/finding.ts';
import type { Target } from '../../core/crosswalks/target.ts';
import { fieldName } from '../../core/dspace/field-name.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { printable } from '../terminal/terminal-text.ts';
import { withBridge } from '../terminal/with-bridge.ts';
import { inTwoColumns } from './two-columns.ts';

export interface CrosswalkFlags {
  readonly config?: string;
  readonly json: boolean;
  readonly to: Target;
}

/**
 * One item of a DSpace, asked for now, beside what becomes of it by the settings of its source; nothing is stored.
 * @returns needsAttention where something mandatory is missing
 */
export async function crosswalkCommand(
  source: string,
  identifier: string,
  { to, ...flags }: CrosswalkFlags,
  io: CommandIo,
): Promise<number> {
  return withBridge(flags, io, 'nothing', async (bridge) => {
    const item = await crosswalkItem(bridge, source, identifier, to, io.stop);
    const fields = item.metadata.map(({ value, language, ...name }) => ({
      field: fieldName(name),
      ...(language !== undefined && { language }),
      value,
    }));
    const { document, findings, notTaken } = item;
    if (flags.json)
      printResult(io, true, { source, identifier, to, fields, document, findings, notTaken }, '');
    else print(item, io);
    return findings.some(({ level }) => level === 'M') ? exitCodes.needsAttention : exitCodes.ok;
  });
}

function print({ metadata, document, findings, notTaken }: CrosswalkedItem, io: CommandIo): void {
  const left = metadata.map(({ value, language, ...name }) => {
    const field = `${fieldName(name)}${language === undefined ? '' : ` [${language}]`}`;
    return printable(`${field} ${value.replace(/\s+/g, ' ')}`);
  });
  const right = (document ?? '(nothing is written)').trimEnd().split('\n').map(printable);
  const rest = notTaken.length > 0 ? [`not taken: ${printable(notTaken.join(', '))}`] : [];
  const lines = [...inTwoColumns(left, right), '', ...findings.map(describe), ...rest];
  io.stdout.write(`${lines.join('\n').trimEnd()}\n`);
}

function describe({ kind, level, element, field, value = '', message }: CrosswalkFinding): string {
  const what = level === undefined ? kind : `${kind}, ${level}`;
  const where = field === undefined ? '' : ` (${printable(`${field} ${value}`)})`;
  return `${element} ${what}${where}: ${message}`;
}
