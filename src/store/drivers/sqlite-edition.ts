import { openSqliteFile, type SqliteStatement } from './sqlite-driver.ts';

/** Tells whether anything was committed since it was last asked, by whatever connection of whatever process. */
export interface Edition {
  /** Another number after each commit; undefined: not known just now. */
  read(): number | undefined;
  close(): void;
}

/**
 * SQLite compares what a connection saw last with what is there: https://sqlite.org/pragma.html#pragma_data_version. It
 * needs a connection of its own that never writes, which is opened when it is asked for the first time.
 */
export function sqliteEdition(file: string): Edition {
  let opened:
    | { readonly database: ReturnType<typeof openSqliteFile>; readonly version: SqliteStatement }
    | undefined;
  let isClosed = false;

  function open() {
    const database = openSqliteFile(file);
    // Nobody waits for it: who does not know now asks the database itself.
    for (const pragma of ['busy_timeout = 0', 'query_only = ON', 'cache_size = -64'])
      database.exec(`pragma ${pragma}`);
    const version = database.prepare('pragma data_version');
    version.setReturnArrays(true);
    return { database, version };
  }

  return {
    read: () => {
      if (isClosed) return undefined;
      try {
        opened ??= open();
        // All rows, to the end of the statement: one that is half read would hold the log of the database.
        const [row] = opened.version.all() as unknown as (readonly unknown[])[];
        return typeof row?.[0] === 'number' ? row[0] : undefined;
      } catch {
        return undefined;
      }
    },
    close: () => {
      isClosed = true;
      opened?.database.close();
      opened = undefined;
    },
  };
}
