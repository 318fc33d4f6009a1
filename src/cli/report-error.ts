import { BridgeError, describeError, isBridgeError } from '../core/errors.ts';
import { translate } from '../store/database.ts';
import { exitCodeOf } from './exit-codes.ts';
import { type CommandIo, say } from './io.ts';

/**
 * Says what went wrong and what to do next.
 * @returns the exit code
 */
export function reportError(error: unknown, json: boolean, io: CommandIo): number {
  const translated = translate(error);
  const known = isBridgeError(translated)
    ? translated
    : new BridgeError('internal', 'something unforeseen happened', { cause: error });
  const { code, advice } = known;
  if (json)
    io.stdout.write(`${JSON.stringify({ error: { code, message: describeError(known), advice } })}\n`);
  say(io, `rsbridge: ${describeError(known)}\n${advice} [${code}]`);
  if (code === 'internal' && error instanceof Error) say(io, error.stack ?? '');
  return exitCodeOf(code);
}
