import pg from 'pg';
import type { Database } from '../../../src/store/engine/database.ts';

/** A statement as PostgreSQL was asked, once for each text. */
export interface Asked {
  readonly sql: string;
  readonly bindings: readonly unknown[];
}

interface Client {
  query(...given: unknown[]): unknown;
}

/** Hears every statement that this process asks any PostgreSQL, whoever opened it, until `stop` is called. */
export function hearStatements(): { readonly statements: ReadonlyMap<string, Asked>; stop(): void } {
  const statements = new Map<string, Asked>();
  const client = pg.Client.prototype as unknown as Client;
  const { query } = client;
  client.query = function heard(this: Client, ...given: unknown[]) {
    const [first, second] = given;
    const { text, values } = (typeof first === 'string' ? { text: first } : first) as {
      text?: string;
      values?: unknown[];
    };
    const bindings = values ?? (Array.isArray(second) ? (second as unknown[]) : []);
    if (text !== undefined && planned.test(text) && !statements.has(text))
      statements.set(text, { sql: text, bindings });
    return query.apply(this, given);
  };
  return {
    statements,
    stop: () => {
      client.query = query;
    },
  };
}

const planned = /^\s*(?:select|insert|update|delete|with)\b/i;

/** How PostgreSQL would go about a statement. */
export async function planOf(database: Database, { sql, bindings }: Asked): Promise<string> {
  const { client } = database.writer as unknown as {
    client: {
      acquireConnection(): Promise<unknown>;
      releaseConnection(connection: unknown): Promise<void>;
      _query(connection: unknown, query: object): Promise<{ response: { rows: Record<string, string>[] } }>;
    };
  };
  const connection = await client.acquireConnection();
  try {
    const { response } = await client._query(connection, { sql: `explain ${sql}`, bindings });
    return response.rows.map((row) => row['QUERY PLAN']).join('\n');
  } finally {
    await client.releaseConnection(connection);
  }
}

/** The tables of which a statement looks into more than one partition, as PostgreSQL plans it. */
export async function scattered(database: Database, asked: Asked): Promise<readonly string[]> {
  const plan = await planOf(database, asked);
  const parts = new Map<string, Set<string>>();
  for (const [, table = '', part = ''] of plan.matchAll(/ on (\w+)_p(\d+)\b/g))
    parts.set(table, (parts.get(table) ?? new Set()).add(part));
  // Payloads are shared by all sources.
  return [...parts].flatMap(([table, own]) => (table !== 'blob' && own.size > 1 ? table : []));
}

/** Hears which servers, by their ports, this process asks for rows of these tables, until `stop` is called. */
export function hearServers(tables: readonly string[]): { readonly ports: Set<number>; stop(): void } {
  const ports = new Set<number>();
  const client = pg.Client.prototype as unknown as Client;
  const { query } = client;
  const names = new RegExp(`\\b(?:from|join) "?(?:${tables.join('|')})\\b`);
  client.query = function heard(this: Client & { readonly port: number }, ...given: unknown[]) {
    const [first] = given;
    const text = typeof first === 'string' ? first : (first as { text?: string }).text;
    if (text !== undefined && names.test(text)) ports.add(this.port);
    return query.apply(this, given);
  };
  return {
    ports,
    stop: () => {
      client.query = query;
    },
  };
}
