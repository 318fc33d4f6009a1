import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BridgeError } from '../core/errors.ts';
import { type Database, openDatabase } from '../store/engine/database.ts';
import type { RunCounts } from '../store/runs/runs.ts';
import { migrate } from '../store/schema/migrate.ts';
import { copySource } from '../store/sources/source-copy.ts';
import type { HarvestDeps, HarvestOptions, HarvestSource } from './harvest-source.ts';
import type { HarvestReport } from './report.ts';
import { thoroughHarvest } from './thorough-harvest.ts';

export interface DryRunReport extends RunCounts {
  readonly source: string;
  readonly mode: HarvestReport['mode'];
  /** Resources that would wait for a person. */
  readonly unseen: number;
}

/**
 * Says what a harvest would change, by doing it: the same harvest, on a copy of what is known of the source, which is
 * thrown away. Nothing is written to the database.
 */
export async function dryRun(
  deps: HarvestDeps,
  source: HarvestSource,
  options: HarvestOptions,
): Promise<DryRunReport> {
  const directory = await mkdtemp(join(tmpdir(), 'rsbridge-dry-run-'));
  let copy: Database | undefined;
  try {
    copy = openDatabase({ client: 'sqlite', file: join(directory, 'copy.db') });
    await migrate(copy);
    await copySource(deps.database, copy, source.name, options.signal);
    const config = { ...source.config, patches: false };
    const reports = await thoroughHarvest(
      { ...deps, database: copy },
      { ...source, config, isCopy: true },
      options,
    );
    if (options.stop.aborted) throw new BridgeError('interrupted', 'stopped as asked; nothing was stored');
    return sum(source.name, reports);
  } finally {
    await copy?.close();
    await rm(directory, { recursive: true, force: true });
  }
}

function sum(source: string, reports: readonly HarvestReport[]): DryRunReport {
  const total = {
    pages: 0,
    items: 0,
    created: 0,
    updated: 0,
    deleted: 0,
    unchanged: 0,
    problems: 0,
    unseen: 0,
  };
  for (const report of reports)
    for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += report[key];
  return { source, mode: reports[0]?.mode ?? 'incremental', ...total };
}
