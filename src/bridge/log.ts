import type { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';
import type { Config } from '../core/config/config.ts';
import { redact } from '../core/secrets.ts';
import { logLevels } from '../store/presence/log-levels.ts';
import { createLogKeeper, type LogKeeper } from './presence/log-keeper.ts';

let opened: ((log: Logger) => void) | undefined;

/** Told of each log that people read: what else there is to say of the process belongs there. */
export function onLog(listener: (log: Logger) => void): void {
  opened = listener;
}

const keepers = new WeakMap<object, LogKeeper>();

/**
 * Structured lines on stderr; what is secret is cut out of each line, wherever it turned up. Whatever the level, what the
 * dashboard's log is to have is kept until somebody writes it into the database.
 */
export function createLog(level: Config['logLevel'], stream: Writable): Logger {
  const keeper = createLogKeeper();
  const lowest = pino.levels.values[level] ?? Number.POSITIVE_INFINITY;
  const output = {
    // pino says here of which level the line is that it writes next.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line: string) {
      const text = redact(line);
      if (this.lastLevel >= lowest) stream.write(text);
      if (this.lastLevel >= logLevels.info) keeper.take(text);
    },
  };
  const log = pino(
    {
      level: lowest > logLevels.info ? 'info' : level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: ['headers', '*.headers', 'authorization', '*.authorization', 'password', '*.password'],
        censor: '[redacted]',
      },
    },
    output,
  );
  keepers.set(log, keeper);
  if (level !== 'silent') opened?.(log);
  return log;
}

/** Of a log of ours, or one made from it. */
export function keeperOf(log: Logger): LogKeeper | undefined {
  // A child has the one that it was made from as its prototype.
  for (let one: object | null = log; one !== null; one = Object.getPrototypeOf(one) as object | null) {
    const keeper = keepers.get(one);
    if (keeper) return keeper;
  }
  return undefined;
}
