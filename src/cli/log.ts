import type { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';
import type { Config } from '../core/config.ts';

/** Structured lines on stderr; fields that can carry credentials are cut out wherever they turn up. */
export function createLog(level: Config['logLevel'], stream: Writable): Logger {
  return pino(
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
}

function withoutCredentials(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/\/\/[^/@\s]*@/, '//') : value;
}
