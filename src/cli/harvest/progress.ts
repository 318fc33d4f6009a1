import { countOf } from '../../core/count-of.ts';
import type { RunCounts } from '../../store/runs/runs.ts';
import type { CommandIo } from '../terminal/io.ts';

/** Says how harvests go: one moving line on a terminal, else a line every ten seconds. */
export interface Progress {
  update(progress: SourceProgress): void;
  /** This source is through. */
  finish(source: string): void;
  /** Leaves the terminal as found. */
  end(): void;
}

export interface SourceProgress {
  readonly source: string;
  readonly run: RunCounts;
  /** Items read by this process in this run. */
  readonly items: number;
  readonly expectedTotal?: number | undefined;
}

const quietMs = 10_000;
const frameMs = 200;

/** @param sources how many there are to be harvested */
export function createProgress(io: CommandIo, sources = 1, now: () => number = Date.now): Progress {
  const startedAt = now();
  const underWay = new Map<string, SourceProgress>();
  let finished = { sources: 0, items: 0 };
  let lastAt = startedAt;
  let drawn = false;
  const terminal = io.stderr.isTTY === true;

  function describe(progress: SourceProgress, seconds: number): string {
    if (sources === 1) return describeProgress(progress, seconds);
    const items = [...underWay.values()].reduce((sum, state) => sum + state.items, finished.items);
    return `${finished.sources} of ${countOf(sources, 'source')} done: ${countOf(items, 'record')}, ${rateOf(items, seconds)}/s`;
  }

  function end(): void {
    if (drawn) io.stderr.write('\r\u001b[K');
    drawn = false;
  }

  return {
    update(progress) {
      underWay.set(progress.source, progress);
      if (now() - lastAt < (terminal ? frameMs : quietMs)) return;
      lastAt = now();
      const line = describe(progress, (lastAt - startedAt) / 1000);
      io.stderr.write(terminal ? `\r\u001b[K${line}` : `${line}\n`);
      drawn = terminal;
    },
    finish(source) {
      const items = underWay.get(source)?.items ?? 0;
      underWay.delete(source);
      finished = { sources: finished.sources + 1, items: finished.items + items };
      end();
    },
    end,
  };
}

function rateOf(items: number, seconds: number): number {
  return seconds > 0 ? Math.round(items / seconds) : 0;
}

export function describeProgress(
  { source, run, items, expectedTotal }: SourceProgress,
  seconds: number,
): string {
  const total = expectedTotal === undefined || expectedTotal < run.items ? '' : ` of about ${expectedTotal}`;
  const changes = `${run.created} created, ${run.updated} updated, ${run.deleted} deleted`;
  const problems = run.problems > 0 ? `, ${countOf(run.problems, 'problem')}` : '';
  return `${source}: ${run.items}${total} records, ${rateOf(items, seconds)}/s (${changes}${problems})`;
}
