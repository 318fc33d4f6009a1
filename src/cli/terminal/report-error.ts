import { createLog } from '../../bridge/log.ts';
import { BridgeError, describeError, failure, isBridgeError } from '../../core/errors.ts';
import { translate } from '../../store/engine/storage-error.ts';
import { exitCodeOf } from './exit-codes.ts';
import { type CommandIo, say } from './io.ts';
import { printable, printableJson } from './terminal-text.ts';

/**
 * Says what went wrong and what to do next.
 * @returns the exit code
 */
export function reportError(error: unknown, json: boolean, io: CommandIo): number {
  const known = toKnown(error, io);
  const { code, advice } = known;
  printError(known, json, io);
  // What others wrote may be in it.
  const lines = describeError(known).split('\n').map(printable);
  say(io, `rsbridge: ${lines.join('\n')}\n${advice} [${code}]`);
  if (code === 'internal' && error instanceof Error) say(io, error.stack ?? '');
  return exitCodeOf(code);
}

/** The same, of a command whose stderr is a log: one line of it, unless a person sits there. */
export function logError(error: unknown, json: boolean, io: CommandIo): number {
  if (io.stderr.isTTY) return reportError(error, json, io);
  const known = toKnown(error, io);
  const { code, advice } = known;
  printError(known, json, io);
  const stack = code === 'internal' && error instanceof Error ? error.stack : undefined;
  createLog('error', io.stderr).fatal({ ...failure(known), advice, stack }, 'rsbridge cannot go on');
  return exitCodeOf(code);
}

function toKnown(error: unknown, io: CommandIo): BridgeError {
  const translated = translate(error);
  if (isBridgeError(translated)) return translated;
  if (io.abort.aborted) return stoppedAtOnce(error);
  return new BridgeError('internal', 'an unexpected error', { cause: error });
}

function printError(known: BridgeError, json: boolean, io: CommandIo): void {
  const { code, advice } = known;
  if (json) io.stdout.write(`${printableJson({ error: { code, message: describeError(known), advice } })}\n`);
}

function stoppedAtOnce(cause: unknown): BridgeError {
  return new BridgeError('interrupted', 'stopped at once as asked', { cause });
}
