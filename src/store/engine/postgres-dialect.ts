import { createRequire } from 'node:module';
import knex, { type Knex } from 'knex';
import PostgresClient from 'knex/lib/dialects/postgres/index.js';
import type pg from 'pg';
import { isHash } from '../drivers/sqlite-hashes.ts';

/**
 * knex over `pg`, with hashes as they are kept: an SHA-256 in 32 octets, any other in those of its text. As on SQLite
 * (`sqlite-hashes.ts`) every binding and every row has them as text, `sha-256:` and 64 letters, and this is the one place
 * that knows better: what is bound and reads like one is one, and a column of octets has hashes unless it is one of two.
 */
const octetColumns = new Set(['data', 'raw']);
const scheme = 'sha-256:';
const hexLetters = 64;

const int8 = 20;
const bytea = 17;

interface QueryObject {
  bindings?: readonly unknown[];
  response?: pg.QueryArrayResult | pg.QueryResult<Record<string, unknown>>;
}

class HashingClient extends PostgresClient {
  override async _query(connection: unknown, query: QueryObject): Promise<QueryObject> {
    if (query.bindings) query.bindings = query.bindings.map(toBinding);
    const { response } = await super._query(connection, query);
    const results = Array.isArray(response) ? response : [response];
    for (const result of results) readOctets(result as pg.QueryResult<Record<string, unknown>> | undefined);
    return query;
  }
}

export function openPostgresPool(url: string, settings: Omit<Knex.Config, 'client' | 'connection'>): Knex {
  const opened = knex({
    ...settings,
    client: HashingClient as unknown as typeof Knex.Client,
    connection: {
      connectionString: url,
      types: { getTypeParser: typeParser() },
    } as Knex.PgConnectionConfig,
  });
  // By this name everybody asks which database it is.
  opened.client.config.client = 'pg';
  return opened;
}

/** Our counters stay far below 2^53: as numbers, not as pg's strings. */
function typeParser(): typeof pg.types.getTypeParser {
  // As knex does it: SQLite needs none of it.
  const { types } = createRequire(import.meta.url)('pg') as typeof pg;
  return ((oid: number, format?: 'text' | 'binary') => {
    if (format !== 'binary' && oid === int8) return (value: string) => Number(value);
    if (format !== 'binary' && oid === bytea) return (value: string) => value;
    return types.getTypeParser(oid, format as 'text');
  }) as typeof types.getTypeParser;
}

function toBinding(value: unknown): unknown {
  if (typeof value === 'string') return hashAsHex(value);
  return Array.isArray(value) ? value.map(toBinding) : value;
}

/** As PostgreSQL reads it, in JSON too. */
export function hashAsHex(text: string): string {
  return isHash(text) ? `\\x${text.slice(scheme.length)}` : text;
}

/** `\x` and two letters for each octet, as PostgreSQL wrote it. */
function readOctets(result: pg.QueryResult<Record<string, unknown>> | undefined): void {
  for (const { name, dataTypeID } of result?.fields ?? []) {
    if (dataTypeID !== bytea) continue;
    const read = octetColumns.has(name) ? toOctets : toHash;
    for (const row of result?.rows ?? []) {
      const value = row[name];
      if (typeof value === 'string') row[name] = read(value);
    }
  }
}

function toOctets(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex');
}

function toHash(hex: string): string {
  return hex.length === 2 + hexLetters ? scheme + hex.slice(2) : toOctets(hex).toString();
}

/** Within a statement: a hash as text, where JSON is made of it. */
export function hashAsTextOnPostgres(column: string): string {
  return `case when octet_length(${column}) = 32 then '${scheme}' || encode(${column}, 'hex') else convert_from(${column}, 'UTF8') end`;
}
