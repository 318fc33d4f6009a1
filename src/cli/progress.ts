import type { HarvestProgress } from '../harvest/harvest.ts';
import type { CommandIo } from './io.ts';

/** Says how a harvest goes: one moving line on a terminal, else a line every ten seconds. */
export interface Progress {
  update(progress: HarvestProgress): void;
  /** Leaves the terminal as found. */
  end(): void;
}

const quietMs = 10_000;
const frameMs = 200;

export function createProgress(io: CommandIo, now: () => number = Date.now): Progress {
  const startedAt = now();
  let lastAt = startedAt;
  let drawn = false;
  const terminal = io.stderr.isTTY === true;
  return {
    update(progress) {
      if (now() - lastAt < (terminal ? frameMs : quietMs)) return;
      lastAt = now();
      const line = describeProgress(progress, (lastAt - startedAt) / 1000);
      io.stderr.write(terminal ? `\r\u001b[K${line}` : `${line}\n`);
      drawn = terminal;
    },
    end() {
      if (drawn) io.stderr.write('\r\u001b[K');
      drawn = false;
    },
  };
}

export function describeProgress(
  { source, run, items, expectedTotal }: HarvestProgress,
  seconds: number,
): string {
  const rate = seconds > 0 ? Math.round(items / seconds) : 0;
  const total = expectedTotal === undefined || expectedTotal < run.items ? '' : ` of about ${expectedTotal}`;
  const changes = `${run.created} created, ${run.updated} updated, ${run.deleted} deleted`;
  const problems = run.problems > 0 ? `, ${run.problems} problems` : '';
  return `${source}: ${run.items}${total} records, ${rate}/s (${changes}${problems})`;
}
