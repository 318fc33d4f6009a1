import { countOf } from '../../core/count-of.ts';
import type { FileJobProgress } from '../../harvest/files/file-job.ts';
import type { RunCounts } from '../../store/runs/runs.ts';
import type { Progress } from '../terminal/progress.ts';

/** Says how harvests go: a line for each source on a terminal, else one about all of them every ten seconds. */
export interface HarvestProgress {
  /** Nothing of this source has come yet. */
  begin(source: string): void;
  /** Items that a run did not find are asked for, one by one. */
  asked(source: string, asked: number, total: number): void;
  update(progress: SourceProgress): void;
  /** Its records are read; what is kept of its files is compared with its hashes. In octets. */
  mirror(source: string, done: number, total: number): void;
  /** Its files come now. */
  files(source: string, state: FileJobProgress): void;
  /** This source is through. */
  finish(source: string): void;
}

export interface SourceProgress {
  readonly source: string;
  readonly run: RunCounts;
  /** Items read by this process in this run. */
  readonly items: number;
  readonly expectedTotal?: number | undefined;
}

/** @param sources how many there are to be harvested */
export function createHarvestProgress(
  progress: Progress,
  sources: number,
  now: () => number = Date.now,
): HarvestProgress {
  const startedAt = now();
  const underWay = new Map<string, SourceProgress>();
  let finished = { sources: 0, items: 0 };

  function describe(state: SourceProgress): string {
    const seconds = (now() - startedAt) / 1000;
    if (sources === 1) return describeSource(state, seconds);
    const items = [...underWay.values()].reduce((sum, { items }) => sum + items, finished.items);
    return `${finished.sources} of ${countOf(sources, 'source')} done: ${countOf(items, 'record')}, ${rateOf(items, seconds)}/s`;
  }

  return {
    begin: (source) => progress.show(source, { label: source, done: 0, noun: 'record' }),
    asked: (source, done, total) =>
      progress.show(source, { label: source, done, total, noun: 'item', deed: 'asked for' }),
    update(state) {
      const { source, run, items, expectedTotal: total } = state;
      underWay.set(source, state);
      const counts = { done: run.items, before: run.items - items, total, noun: 'record' };
      progress.show(source, { label: source, ...counts, note: changesOf(run) }, () => describe(state));
    },
    mirror: (source, done, total) =>
      progress.show(
        source,
        { label: source, done, total, noun: 'byte', deed: 'of mirrored files read' },
        () => `${source}: ${megabytes(done)} of ${megabytes(total)} MB of mirrored files read`,
      ),
    files(source, state) {
      const { done, total, work } = state;
      const noun = work === 'files' ? 'file' : 'landing page';
      const note = describeDownloads(state);
      progress.show(
        source,
        { label: source, done, total, noun, deed: 'checked', note },
        () => `${source}: ${done} of ${countOf(total ?? done, noun)} checked${note ? ` (${note})` : ''}`,
      );
    },
    finish(source) {
      const items = underWay.get(source)?.items ?? 0;
      underWay.delete(source);
      finished = { sources: finished.sources + 1, items: finished.items + items };
      progress.remove(source);
    },
  };
}

function describeDownloads({ bytes, totalBytes }: FileJobProgress): string | undefined {
  if (bytes === 0) return undefined;
  // What was stated may be less than what came.
  const total = totalBytes !== undefined && totalBytes >= bytes ? ` of ${megabytes(totalBytes)}` : '';
  return `${megabytes(bytes)}${total} MB downloaded`;
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 1 : 0);
}

function rateOf(items: number, seconds: number): number {
  return seconds > 0 ? Math.round(items / seconds) : 0;
}

function changesOf(run: RunCounts): string {
  const problems = run.problems > 0 ? `, ${countOf(run.problems, 'problem')}` : '';
  return `${run.created} created, ${run.updated} updated, ${run.deleted} deleted${problems}`;
}

function describeSource({ source, run, items, expectedTotal }: SourceProgress, seconds: number): string {
  const total = expectedTotal === undefined || expectedTotal < run.items ? '' : ` of about ${expectedTotal}`;
  return `${source}: ${run.items}${total} records, ${rateOf(items, seconds)}/s (${changesOf(run)})`;
}
