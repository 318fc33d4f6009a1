import { hiddenCollections } from '../../core/access/private-sets.ts';
import type { RepositoryInfo } from '../../core/adapter.ts';
import type { SourceConfig } from '../../core/config/config.ts';
import { isDspace, ownFormats, publishedFormats } from '../../core/config/published-formats.ts';
import { describeWriting } from '../../core/crosswalks/writing.ts';
import { toIso } from '../../core/datetime.ts';
import { endRun, latestRun, type Run, type RunMode, resumeRun, startRun } from '../../store/runs/runs.ts';
import type { StoredSource } from '../../store/sources/sources.ts';
import type { HarvestDeps, HarvestOptions, HarvestSource } from '../harvest-source.ts';

/** After this many starts without a single page more, a checkpoint is given up. */
export const maxStalls = 3;

/** Takes up the unfinished run where it stopped, or begins a new one in the mode that is due. */
export async function openRun(
  { database, clock }: HarvestDeps,
  source: HarvestSource,
  stored: StoredSource,
  info: RepositoryInfo,
  options: HarvestOptions,
): Promise<Run> {
  const now = toIso(clock.now());
  const selection = describeSelection(source, info);
  const mode = dueMode(stored, selection, options);
  const last = await latestRun(database.reader, stored.id);
  if (last && isUnfinished(last)) {
    if (canContinue(last, mode, selection, options))
      return database.transaction((trx) => resumeRun(trx, last, now));
    await database.transaction((trx) => endRun(trx, last.id, { state: 'interrupted', at: now }));
  }
  const since = mode === 'incremental' ? (options.since ?? stored.asOf) : undefined;
  const run = { sourceId: stored.id, mode, selection, since, startedAt: now };
  return database.transaction((trx) => startRun(trx, run));
}

/** What a run covers; when this changes, the past has to be read again. */
export function describeSelection({ config }: HarvestSource, info: RepositoryInfo): string {
  const offered = info.formats.filter((format) => format.selected).map((format) => format.name);
  // The order of an answer means nothing, and an upstream's bad day does not change what we asked for.
  const formats = [...(publishedFormats(config) ?? offered)].sort();
  const collections = config.collections && [...config.collections].sort();
  // What was private, and is no more, is to be delivered again.
  const hidden = hiddenCollections(config);
  const { from, mode } = config.files;
  // What was stored before files were looked for had none: that stays the same selection.
  const files = mode === 'none' ? {} : { files: from === undefined ? mode : `${mode} ${from}` };
  return JSON.stringify({
    url: config.url,
    formats,
    collections: collections ?? null,
    ...files,
    ...(hidden.length === 0 ? {} : { private: hidden }),
    ...dspaceSelection(config),
    ...sourceSelection(config),
  });
}

/** Nothing for other sources: what they were harvested with before stays the same selection. */
function dspaceSelection(config: SourceConfig): object {
  if (!isDspace(config)) return {};
  const { adapter, identity, entityTypes = [], files } = config;
  const { bundles = [] } = files;
  const crosswalk = describeWriting(ownFormats(config) ?? [], config.crosswalk);
  return {
    ...{ adapter, identity, entityTypes: [...entityTypes].sort(), bundles: [...bundles].sort() },
    ...(crosswalk !== undefined && { crosswalk }),
  };
}

/** A source that is read by another protocol now has other things under its identifiers. */
function sourceSelection({ adapter, resourcesync }: SourceConfig): object {
  return adapter === 'resourcesync' ? { adapter, set: resourcesync?.set ?? null } : {};
}

function dueMode(stored: StoredSource, selection: string, options: HarvestOptions): RunMode {
  if (stored.asOf === undefined || stored.selection !== selection) return 'full';
  return options.mode;
}

export function isUnfinished(run: Pick<Run, 'state'>): boolean {
  return run.state === 'running' || run.state === 'failed' || run.state === 'interrupted';
}

function canContinue(run: Run, mode: RunMode, selection: string, options: HarvestOptions): boolean {
  // A full pass covers what an incremental one would.
  const covers = run.mode === 'full' || (mode === 'incremental' && options.since === undefined);
  return covers && run.selection === selection && run.checkpoint !== undefined && run.stalled < maxStalls;
}
