import { toIso } from '../core/datetime.ts';
import { BridgeError } from '../core/errors.ts';
import type { RunCounts } from '../store/runs.ts';
import { findSource } from '../store/sources.ts';
import { previewPage } from '../store/store-page.ts';
import { type HarvestDeps, type HarvestOptions, type HarvestSource, mapPage } from './harvest.ts';
import { describeSelection } from './open-run.ts';

export interface DryRunReport extends RunCounts {
  readonly source: string;
  readonly mode: 'full' | 'incremental';
}

/** Reads what a harvest would read and says what it would change; nothing is written anywhere. */
export async function dryRun(
  { database, clock }: HarvestDeps,
  source: HarvestSource,
  options: HarvestOptions,
): Promise<DryRunReport> {
  const info = await source.adapter.identify(options.signal);
  const stored = await findSource(database.reader, source.name);
  const known = stored?.asOf !== undefined && stored.selection === describeSelection(source, info);
  const mode = known ? options.mode : 'full';
  const since = mode === 'incremental' ? (options.since ?? stored?.asOf) : undefined;
  const total = { pages: 0, items: 0, created: 0, updated: 0, deleted: 0, unchanged: 0, problems: 0 };
  for await (const page of source.adapter.pages({ mode, since }, options.signal)) {
    const result = await previewPage(database, source.name, mapPage(source, page), toIso(clock.now()));
    for (const key of ['items', 'created', 'updated', 'deleted', 'unchanged', 'problems'] as const) {
      total[key] += result[key];
    }
    total.pages += 1;
    if (options.stop.aborted)
      throw new BridgeError('interrupted', `stopped after ${total.items} items as asked`);
    if (total.items >= (options.limit ?? Number.POSITIVE_INFINITY)) break;
  }
  return { source: source.name, mode, ...total };
}
