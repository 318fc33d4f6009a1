import { BridgeError, isBridgeError } from '../../core/errors.ts';
import { storageError } from '../../store/engine/storage-error.ts';

/** Gives whatever ended a publication early the code that says what to do. */
export function publicationError(error: unknown, what: string, signal?: AbortSignal): BridgeError {
  if (isBridgeError(error)) return error;
  if (signal?.aborted)
    return new BridgeError('interrupted', `publishing ${what} was interrupted`, { cause: error });
  const code = (error as { code?: unknown } | undefined)?.code;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new BridgeError('disk-full', `there is no space left to publish ${what}`, {
      cause: error,
      retryable: true,
    });
  }
  const damage = error instanceof Error ? storageError(error) : undefined;
  if (damage) return damage;
  return new BridgeError('publication-failed', `${what} could not be published`, {
    cause: error,
    retryable: true,
  });
}
