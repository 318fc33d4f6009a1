import type { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';
import type { Config } from '../core/config/config.ts';
import { redact } from '../core/secrets.ts';

let opened: ((log: Logger) => void) | undefined;

/** Told of each log that people read: what else there is to say of the process belongs there. */
export function onLog(listener: (log: Logger) => void): void {
  opened = listener;
}

/** Structured lines on stderr; what is secret is cut out of each line, wherever it turned up. */
export function createLog(level: Config['logLevel'], stream: Writable): Logger {
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: ['headers', '*.headers', 'authorization', '*.authorization', 'password', '*.password'],
        censor: '[redacted]',
      },
    },
    { write: (line: string) => void stream.write(redact(line)) },
  );
  if (level !== 'silent') opened?.(log);
  return log;
}
