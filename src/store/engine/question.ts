import type { Knex } from 'knex';
import { nameOf, type SaidByName } from '../drivers/statement-names.ts';
import { isPostgres } from './bulk.ts';
import type { Queryable } from './database.ts';
import type { Questions } from './sqlite-dialect.ts';
import { translate } from './storage-error.ts';
import { giveWay } from './time-slice.ts';

/** What a question is asked with; a list is for PostgreSQL alone. */
export type Answerable = string | number | readonly string[] | readonly number[];

/** Asks one question, in the database or in a transaction. */
export interface Question<Row, Values extends readonly Answerable[]> {
  (db: Queryable, ...values: Values): Promise<readonly Row[]>;
  /** The same without a promise; undefined where the answer comes later: on PostgreSQL, and for whoever writes. */
  atOnce(db: Queryable, ...values: Values): readonly Row[] | undefined;
}

interface Text {
  readonly sql: string;
  /** What it always says, and where (by their number) the values come. */
  readonly bindings: readonly (Slot | Knex.Value)[];
  /** By which PostgreSQL knows it once it has been asked (`postgres-dialect.ts`). */
  readonly name: string;
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

type Write<Values extends readonly Answerable[]> = (
  db: Queryable,
  ...values: Values
) => Knex.QueryBuilder | Knex.Raw;

/**
 * A question that a key answers, with one row or a few, whatever the key and however large the tables: PostgreSQL finds out once
 * how it is answered. Not for what comes in an order, or up to a limit: how to read that depends on what it is asked with.
 */
export function questionByKey<Row, Values extends readonly Answerable[]>(
  count: Values['length'],
  write: Write<Values>,
): Question<Row, Values> {
  return question(count, write, { isByKey: true });
}

/**
 * A question of every request: the query builder writes its statement once for each kind of database. Writing it anew
 * costs more than its answer.
 * @param write is given a place holder for each value; what it writes may not depend on them
 */
export function question<Row, Values extends readonly Answerable[]>(
  count: Values['length'],
  write: Write<Values>,
  how: Pick<SaidByName, 'isByKey'> = {},
): Question<Row, Values> {
  const texts = new Map<boolean, Text>();

  function textOf(db: Queryable): Text {
    const known = texts.get(isPostgres(db));
    if (known) return known;
    const slots = Array.from({ length: count }, (_, index) => new Slot(index)) as unknown as Values;
    const { sql, bindings } = write(db, ...slots)
      .toSQL()
      .toNative();
    const text = { sql, bindings: bindings as Text['bindings'], name: nameOf(sql) };
    // `limit`, for one, takes nothing but a number, and leaves out what is none.
    if (slots.some((slot) => !text.bindings.includes(slot as never)))
      throw new Error(`a question does not ask for all that it is given: ${sql}`);
    texts.set(isPostgres(db), text);
    return text;
  }

  function queryOf(db: Queryable, values: Values) {
    const { sql, bindings, name } = textOf(db);
    return { sql, bindings: bindings.map((one) => (one instanceof Slot ? values[one.index] : one)), name };
  }

  const ask = async (db: Queryable, ...values: Values): Promise<readonly Row[]> => {
    const query = queryOf(db, values);
    const client = clientOf(db);
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
      // A transaction cannot ask again, where the name is no longer known.
      const options: SaidByName = db.isTransaction ? {} : { name: query.name, ...how };
      const { response } = await client._query(connection, { ...query, options });
      return (Array.isArray(response) ? response : (response as { rows: Row[] }).rows) as Row[];
    } catch (error) {
      throw translate(error);
    } finally {
      await client.releaseConnection(connection);
    }
  };
  const atOnce = (db: Queryable, ...values: Values) => {
    const client = clientOf(db);
    if (!client.questions) return undefined;
    const query = queryOf(db, values);
    client.emit('query', query);
    return client.questions.askTogether(query).response as Row[];
  };
  return Object.assign(ask, { atOnce });
}

function clientOf(db: Queryable): Client {
  return (db as unknown as { readonly client: Client }).client;
}
