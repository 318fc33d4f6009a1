declare module 'knex/lib/dialects/better-sqlite3/index.js' {
  import type { Knex } from 'knex';

  /** knex ships this dialect without types; `sqlite-dialect.ts` replaces its driver. */
  export default class BetterSqlite3Client extends Knex.Client {
    // biome-ignore lint/suspicious/noExplicitAny: as knex has it.
    query(connection: unknown, query: any): Promise<any>;
  }
}
declare module 'knex/lib/dialects/postgres/index.js' {
  import type { Knex } from 'knex';

  /** knex ships this dialect without types; `postgres-dialect.ts` looks into what it binds and reads. */
  export default class PostgresClient extends Knex.Client {
    // biome-ignore lint/suspicious/noExplicitAny: as knex has it.
    _query(connection: unknown, query: any): Promise<any>;
    // biome-ignore lint/suspicious/noExplicitAny: as knex has it.
    _acquireOnlyConnection(): Promise<any>;
  }
}
