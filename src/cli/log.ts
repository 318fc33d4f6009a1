import type { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';
import type { Config } from '../core/config.ts';

let opened: ((log: Logger) => void) | undefined;

/** Told of each log that people read: what else there is to say of the process belongs there. */
export function onLog(listener: (log: Logger) => void): void {
  opened = listener;
}

/** Structured lines on stderr; fields that can carry credentials are cut out wherever they turn up. */
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
      serializers: { url: withoutCredentials, from: withoutCredentials, to: withoutCredentials },
    },
    stream,
  );
  if (level !== 'silent') opened?.(log);
  return log;
}

function withoutCredentials(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/\/\/[^/@\s]*@/, '//') : value;
}
