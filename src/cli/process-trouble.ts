import type { Logger } from 'pino';
import { describeError } from '../core/errors.ts';

/**
 * What Node itself says of the process goes into the log as everything else does, and not between its lines: its
 * warnings, and what nobody caught, which ends the process.
 */
export function logTrouble(log: Logger): void {
  // Node's own listener writes plain text.
  process.removeAllListeners('warning');
  process.on('warning', (warning: Error & { code?: string }) => {
    const { name, code, stack } = warning;
    log.warn({ name, nodeCode: code, reason: warning.message, stack }, 'a warning from Node');
  });
  const fatal = (thrown: unknown) => {
    const stack = thrown instanceof Error ? thrown.stack : undefined;
    log.fatal({ code: 'internal', reason: describeError(thrown), stack }, 'an unexpected error');
    process.exit(1);
  };
  process.on('uncaughtException', fatal);
  process.on('unhandledRejection', fatal);
}
