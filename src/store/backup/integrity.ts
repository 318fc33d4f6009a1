import { performance } from 'node:perf_hooks';
import { describeError } from '../../core/errors.ts';
import type { Database } from '../engine/database.ts';

/** What SQLite finds wrong with its own file. PostgreSQL looks after its pages itself. */
export interface Integrity {
  /** In SQLite's words; empty where nothing was found. */
  readonly faults: readonly string[];
  /** Tables that were not looked at any more. */
  readonly skipped: readonly string[];
}

const mostFaults = 5;

/** @param budgetMs no table is begun after it: each is read in one go, and a large one takes a while */
export async function checkIntegrity(database: Database, budgetMs: number): Promise<Integrity> {
  if (database.client !== 'sqlite') return { faults: [], skipped: [] };
  const { reader } = database;
  const began = performance.now();
  const faults: string[] = [];
  const skipped: string[] = [];
  let tables: { name: string }[] = [];
  try {
    tables = await reader('sqlite_master').select('name').where({ type: 'table' }).orderBy('name');
  } catch (error) {
    return { faults: [describeError(error)], skipped: [] };
  }
  for (const { name } of tables) {
    if (performance.now() - began > budgetMs || faults.length >= mostFaults) {
      skipped.push(name);
      continue;
    }
    try {
      const rows: object[] = await reader.raw(`pragma quick_check('${name.replaceAll("'", "''")}')`);
      const said = rows.map((row) => String(Object.values(row)[0])).filter((text) => text !== 'ok');
      faults.push(...said.slice(0, mostFaults - faults.length).map((text) => `${name}: ${text}`));
    } catch (error) {
      faults.push(`${name}: ${describeError(error)}`);
    }
  }
  return { faults, skipped };
}
