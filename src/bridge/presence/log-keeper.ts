import type { NewLogLine } from '../../store/presence/log-lines.ts';
import { keptLine, type WrittenLine } from './kept-line.ts';

/** Lines that wait to be written into the database. Whatever becomes of that, work goes on. */
export interface LogKeeper {
  /** @param process whose lines they are from now on */
  sign(process: string): void;
  /** @param line as it goes out, without secrets */
  take(line: string): void;
  /** Some of them, the oldest first; they stay until they are written. */
  waiting(most: number): readonly NewLogLine[];
  /** So many of the oldest were written. */
  written(count: number): void;
}

export interface LogKeeperSettings {
  readonly now?: () => number;
  /** As many wait; then new ones are dropped, and counted. */
  readonly most?: number;
}

/** Of one kind in a minute; what is more of it is counted. */
const sameInAMinute = 60;
const minuteMs = 60_000;
const mostKinds = 1000;

export function createLogKeeper({ now = Date.now, most = 1000 }: LogKeeperSettings = {}): LogKeeper {
  const lines: NewLogLine[] = [];
  let process = '';
  let dropped = 0;
  let minute = 0;
  let seen = new Map<string, { count: number; last: NewLogLine }>();

  function add(line: NewLogLine): void {
    if (lines.length < most) lines.push(line);
    else dropped += 1;
  }

  /** A minute is over: what was too much of it is told in one line. */
  function turn(at: number): void {
    if (at - minute < minuteMs) return;
    minute = at;
    for (const { count, last } of seen.values())
      if (count > sameInAMinute) add({ ...last, fields: { ...last.fields, alike: count - sameInAMinute } });
    seen = new Map();
  }

  function isTooMuch(line: NewLogLine): boolean {
    const key = `${line.level} ${line.source} ${line.message}`;
    const known = seen.get(key) ?? { count: 0, last: line };
    known.count += 1;
    known.last = line;
    if (seen.has(key) || seen.size < mostKinds) seen.set(key, known);
    return known.count > sameInAMinute;
  }

  return {
    sign: (name) => {
      process = name;
    },
    take: (text) => {
      const line = parse(text);
      const kept = line && keptLine(line, process);
      if (!kept) return;
      turn(now());
      if (!isTooMuch(kept)) add(kept);
    },
    waiting: (count) => {
      turn(now());
      return lines.slice(0, count);
    },
    written: (count) => {
      const last = lines[count - 1];
      lines.splice(0, count);
      if (dropped === 0 || !last) return;
      const message = 'lines of the log were dropped: the database did not take them in time';
      lines.push({ ...last, level: 'warn', source: undefined, run: undefined, message, fields: { dropped } });
      dropped = 0;
    },
  };
}

function parse(text: string): WrittenLine | undefined {
  try {
    return JSON.parse(text) as WrittenLine;
  } catch {
    return undefined;
  }
}
