declare module 'knex/lib/dialects/better-sqlite3/index.js' {
  import type { Knex } from 'knex';

  /** knex ships this dialect without types; `sqlite-dialect.ts` replaces its driver. */
  export default class BetterSqlite3Client extends Knex.Client {}
}
