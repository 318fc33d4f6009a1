import { countOf } from '../core/count-of.ts';
import type { TakeoverProgress } from '../store/schema/takeover.ts';

const lineEveryMs = 5_000;
/** What is done within a second is not worth a line. */
const fewRows = 20_000;

/** Says on stderr how far a database of before has been taken over: whatever the command is, it waits for that. */
export function takeoverTalk(
  write: (line: string) => void = (line) => void process.stderr.write(line),
  now: () => number = Date.now,
): (progress: TakeoverProgress) => void {
  let saidAt = Number.NEGATIVE_INFINITY;
  let isOver = false;
  return ({ done, total }) => {
    if (total < fewRows || isOver) return;
    isOver = done >= total;
    if (!isOver && now() - saidAt < lineEveryMs) return;
    saidAt = now();
    const percent = Math.floor((100 * done) / total);
    write(
      isOver
        ? 'the database has been taken over\n'
        : `taking over the database of an earlier version: ${percent} % of ${countOf(total, 'row', total.toLocaleString('en'))}; whoever stops this loses nothing\n`,
    );
  };
}

/** Says on stderr what was done to the schema: processes of the version before may be at work beside it. */
export function sayMigrated(names: readonly string[]): void {
  const [first] = names;
  const last = names.at(-1);
  const which = names.length === 1 ? first : `${first} to ${last}`;
  process.stderr.write(
    `the database has the schema of this version now (${countOf(names.length, 'migration')}: ${which})\n`,
  );
}
