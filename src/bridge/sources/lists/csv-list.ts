import { CsvError, parse } from 'csv-parse/sync';
import { BridgeError } from '../../../core/errors.ts';
import { type Entry, listedEntry } from './listed-entry.ts';
import { cellValue, columnOf } from './listed-settings.ts';
import type { SourceList } from './listed-source.ts';
import { partList } from './part-list.ts';

const separators = [',', ';', '\t'] as const;
const separatorNames = { ',': 'a comma', ';': 'a semicolon', '\t': 'a tab' } as const;

interface Row {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/**
 * A table with a header, as spreadsheets write it: any of three separators, `sep=;` before it. A mere list of addresses,
 * one on each line, needs no header.
 * @throws BridgeError `usage` with the line that cannot be read
 */
export function csvList(text: string): SourceList {
  const [, said, table = text] = /^sep=(.)\r?\n([\s\S]*)$/i.exec(text) ?? [];
  const firstLine = 1 + (said === undefined ? 0 : 1);
  const separator = separators.find((one) => one === said) ?? mostFrequent(table);
  const [head, ...rows] = rowsOf(table, separator);
  if (!head) return { kind: 'an empty file', sources: [], problems: [], unused: [] };
  const isAddresses = /^https?:\/\//i.test(head.record[0]?.trim() ?? '');
  const keys = isAddresses ? ['url'] : head.record.map((key) => key.trim());
  const columns = keys.map(columnOf);
  if (!columns.some((column) => column?.path[0] === 'url'))
    throw new BridgeError(
      'usage',
      `no column has addresses: the header is ${keys.map((key) => JSON.stringify(key)).join(', ')}; call the one that has them url`,
    );
  const entries = (isAddresses ? [head, ...rows] : rows).map(({ record, info }): Entry => {
    const cells = record.flatMap((cell, index) => {
      const column = columns[index];
      return column && cell.trim() !== '' ? [[column.key, cellValue(column.path, cell.trim())] as const] : [];
    });
    return { place: `line ${info.lines + firstLine - 1}`, values: Object.fromEntries(cells) };
  });
  return {
    kind: isAddresses ? 'a list of addresses' : `CSV, separated by ${separatorNames[separator]}`,
    ...partList(entries.map(listedEntry)),
    unused: keys.filter((key, index) => key !== '' && columns[index] === undefined),
  };
}

function rowsOf(table: string, delimiter: string): readonly Row[] {
  try {
    return parse(table, {
      delimiter,
      info: true,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
    }) as unknown as readonly Row[];
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause;
    const line = Number((cause as { lines?: unknown }).lines ?? 0);
    throw new BridgeError('usage', `line ${line}: ${csvTroubles[cause.code] ?? cause.message}`, { cause });
  }
}

const csvTroubles: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quotation mark before it is not closed',
};

/** Of the first line. */
function mostFrequent(table: string): (typeof separators)[number] {
  const line = table.slice(0, table.search(/[\r\n]|$/)).replace(/"[^"]*"/g, '');
  const count = (separator: string) => line.split(separator).length;
  return separators.reduce((best, one) => (count(one) > count(best) ? one : best));
}
