import { createRequire } from 'node:module';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { BridgeError } from '../../core/errors.ts';

/**
 * SQLite as Node has it (`node:sqlite`, from 22.16 on), or the package `@photostructure/sqlite`, which gives Node 20
 * the same API and need not be installed where Node has its own (docs/dependencies.md).
 */
export type SqliteDriver = 'node' | 'package';

export type {
  DatabaseSyncInstance as SqliteDatabase,
  StatementSyncInstance as SqliteStatement,
} from '@photostructure/sqlite';

type DatabaseClass = new (file: string) => DatabaseSyncInstance;

const loaders: Readonly<Record<SqliteDriver, () => DatabaseClass | undefined>> = {
  node: fromNode,
  package: fromPackage,
};
const loaded = new Map<SqliteDriver, DatabaseClass | undefined>();
let chosen: SqliteDriver | undefined;

/** Those that are there; the first of them is used. */
export function sqliteDrivers(): readonly SqliteDriver[] {
  return (['node', 'package'] as const).filter((driver) => load(driver) !== undefined);
}

/** From now on files are opened with this one; undefined: with the first that is there. */
export function useSqliteDriver(driver: SqliteDriver | undefined): void {
  chosen = driver;
}

/** @throws BridgeError `sqlite-missing` where there is no driver */
export function openSqliteFile(file: string): DatabaseSyncInstance {
  const Database = chosen === undefined ? (load('node') ?? load('package')) : load(chosen);
  if (Database === undefined)
    throw new BridgeError('sqlite-missing', `Node.js ${process.versions.node} has no SQLite that works here`);
  return new Database(file);
}

function load(driver: SqliteDriver): DatabaseClass | undefined {
  if (!loaded.has(driver)) loaded.set(driver, loaders[driver]());
  return loaded.get(driver);
}

function fromNode(): DatabaseClass | undefined {
  // Node says at loading that this is experimental: in plain text, between the lines of a log.
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    const found = requireIfThere('node:sqlite');
    // Until 22.15 rows come as objects only.
    return found && 'setReturnArrays' in found.StatementSync.prototype ? found.DatabaseSync : undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

function fromPackage(): DatabaseClass | undefined {
  return requireIfThere('@photostructure/sqlite')?.DatabaseSync;
}

function requireIfThere(
  name: string,
):
  | { readonly DatabaseSync: DatabaseClass; readonly StatementSync: { readonly prototype: object } }
  | undefined {
  try {
    return createRequire(import.meta.url)(name);
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === 'MODULE_NOT_FOUND' || code === 'ERR_UNKNOWN_BUILTIN_MODULE') return undefined;
    throw error;
  }
}
