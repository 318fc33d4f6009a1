import type { Knex } from 'knex';
import { isPostgres } from './bulk.ts';
import type { Queryable } from './database.ts';
import type { Questions } from './sqlite-dialect.ts';
import { giveWay } from './time-slice.ts';

/** What a question is asked with. */
export type Answerable = string | number;

/** Asks one question, in the database or in a transaction. */
export type Question<Row, Values extends readonly Answerable[]> = (
  db: Queryable,
  ...values: Values
) => Promise<readonly Row[]>;

interface Text {
  readonly sql: string;
  /** What it always says, and where (by their number) the values come. */
  readonly bindings: readonly (Slot | Knex.Value)[];
}

/** Stands where a value will be, while the statement is written. */
class Slot {
  readonly index: number;
  constructor(index: number) {
    this.index = index;
  }
}

interface Client {
  /** Of SQLite's reader. */
  readonly questions?: Questions | undefined;
  acquireConnection(): Promise<unknown>;
  releaseConnection(connection: unknown): Promise<void>;
  emit(event: 'query', query: object): boolean;
  _query(connection: unknown, query: object): Promise<{ readonly response: unknown }>;
}

/**
 * A question of every request: the query builder writes its statement once for each kind of database. Writing it anew
 * costs more than its answer.
 * @param write is given a place holder for each value; what it writes may not depend on them
 */
export function question<Row, Values extends readonly Answerable[]>(
  count: Values['length'],
  write: (db: Queryable, ...values: Values) => Knex.QueryBuilder | Knex.Raw,
): Question<Row, Values> {
  const texts = new Map<boolean, Text>();

  function textOf(db: Queryable): Text {
    const known = texts.get(isPostgres(db));
    if (known) return known;
    const slots = Array.from({ length: count }, (_, index) => new Slot(index)) as unknown as Values;
    const { sql, bindings } = write(db, ...slots)
      .toSQL()
      .toNative();
    const text = { sql, bindings: bindings as Text['bindings'] };
    texts.set(isPostgres(db), text);
    return text;
  }

  return async (db, ...values) => {
    const { sql, bindings } = textOf(db);
    const { client } = db as unknown as { readonly client: Client };
    const said = bindings.map((one) => (one instanceof Slot ? values[one.index] : one));
    const query = { sql, bindings: said };
    if (client.questions) {
      const turn = giveWay();
      if (turn) await turn;
      client.emit('query', query);
      return client.questions.ask(query).response as Row[];
    }
    const connection = await client.acquireConnection();
    try {
      // As the query builder does: whoever listens hears every statement.
      client.emit('query', query);
      const { response } = await client._query(connection, query);
      return (Array.isArray(response) ? response : (response as { rows: Row[] }).rows) as Row[];
    } finally {
      await client.releaseConnection(connection);
    }
  };
}
