import type { Knex } from 'knex';
import { isHash } from '../drivers/sqlite-hashes.ts';
import { hashAsHex } from './postgres-dialect.ts';

/**
 * Rows as PostgreSQL reads them with the least work: an array of each column in its binary form, which `unnest` makes
 * rows of. As JSON they took twice to three times as long to be read, and each octet of a payload two letters.
 */

type Value = string | number | null | Uint8Array;
type ColumnRow = Readonly<Record<string, Value>>;

interface ColumnType {
  readonly oid: number;
  readonly name: string;
  /** Octets of a value, before `write` puts it at its place. */
  length(value: Exclude<Value, null>): number;
  write(to: Buffer, value: Exclude<Value, null>, at: number): void;
}

const int8: ColumnType = {
  oid: 20,
  name: 'bigint',
  length: () => 8,
  write: (to, value, at) => to.writeBigInt64BE(BigInt(value as number | string), at),
};

const int4: ColumnType = {
  oid: 23,
  name: 'integer',
  length: () => 4,
  write: (to, value, at) => to.writeInt32BE(Number(value), at),
};

const text: ColumnType = {
  oid: 25,
  name: 'text',
  length: (value) => Buffer.byteLength(asText(value)),
  write: (to, value, at) => to.write(asText(value), at),
};

const octets: ColumnType = {
  oid: 17,
  name: 'bytea',
  length: (value) => (typeof value === 'string' && isHash(value) ? hashLength : asOctets(value).byteLength),
  write: (to, value, at) => {
    if (typeof value === 'string' && isHash(value)) to.write(value.slice(-2 * hashLength), at, 'hex');
    else to.set(asOctets(value), at);
  },
};

const hashLength = 32;
const types = new Map([int8, int4, text, octets].map((type) => [type.oid, type]));

function asText(value: Exclude<Value, null>): string {
  // As every other binding has it.
  return hashAsHex(String(value));
}

function asOctets(value: Exclude<Value, null>): Uint8Array {
  return value instanceof Uint8Array ? value : Buffer.from(String(value), 'utf8');
}

/** Column to type. A later release may add a column while this process runs; none gets another type. */
const tables = new WeakMap<object, Map<string, ReadonlyMap<string, ColumnType>>>();

async function typesOf(
  trx: Knex.Transaction,
  table: string,
  columns: readonly string[],
): Promise<ReadonlyMap<string, ColumnType>> {
  const pool = (trx as unknown as { client: { config: object } }).client.config;
  const known = tables.get(pool) ?? new Map<string, ReadonlyMap<string, ColumnType>>();
  tables.set(pool, known);
  const found = known.get(table);
  if (found && columns.every((column) => found.has(column))) return found;
  const { rows }: { rows: { attname: string; atttypid: number }[] } = await trx.raw(
    'select attname, atttypid::int4 from pg_attribute where attrelid = ?::regclass and attnum > 0',
    [`"${table}"`],
  );
  const read = new Map<string, ColumnType>();
  for (const { attname, atttypid } of rows) {
    const type = types.get(atttypid);
    if (type) read.set(attname, type);
  }
  known.set(table, read);
  return read;
}

/** @returns what stands behind `from`, and its bindings */
export async function asArrays(
  trx: Knex.Transaction,
  table: string,
  columns: readonly string[],
  rows: readonly ColumnRow[],
): Promise<{ readonly sql: string; readonly bindings: readonly Buffer[] }> {
  const known = await typesOf(trx, table, columns);
  const each = columns.map((column) => {
    const type = known.get(column);
    if (!type) throw new Error(`${table}.${column} is of a type that no row can be given`);
    return type;
  });
  const names = columns.map((column) => `"${column}"`).join(', ');
  const arrays = each.map(({ name }) => `?::${name}[]`).join(', ');
  return {
    sql: `unnest(${arrays}) as given(${names})`,
    bindings: columns.map((column, index) => toArray(each[index] as ColumnType, column, rows)),
  };
}

const arrayHead = 20;

/** Dimensions, whether there are nulls, type, length, first index; then each value behind its length. */
function toArray(type: ColumnType, column: string, rows: readonly ColumnRow[]): Buffer {
  let length = arrayHead;
  let nulls = 0;
  for (const row of rows) {
    const value = row[column] ?? null;
    length += 4 + (value === null ? 0 : type.length(value));
    if (value === null) nulls = 1;
  }
  const array = Buffer.allocUnsafe(length);
  for (const [index, word] of [1, nulls, type.oid, rows.length, 1].entries())
    array.writeInt32BE(word, 4 * index);
  let at = arrayHead;
  for (const row of rows) {
    const value = row[column] ?? null;
    const size = value === null ? -1 : type.length(value);
    array.writeInt32BE(size, at);
    at += 4;
    if (value === null) continue;
    type.write(array, value, at);
    at += size;
  }
  return array;
}
