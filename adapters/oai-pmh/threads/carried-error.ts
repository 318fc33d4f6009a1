import { BridgeError, type ErrorCode, isBridgeError } from '../../../src/core/errors.ts';

/** An error on its way between threads, where it would lose what it is. */
export type CarriedError =
  /** The one that the other side knows already. */
  | 'known'
  | {
      readonly name: string;
      readonly message: string;
      readonly stack?: string | undefined;
      readonly code?: ErrorCode;
      readonly retryable?: boolean;
      readonly cause?: CarriedError;
    };

const deepest = 5;

/** @param known is not described */
export function carry(error: unknown, known?: unknown, depth = 0): CarriedError {
  if (known !== undefined && error === known) return 'known';
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const { name, message, stack } = error;
  const cause =
    error.cause === undefined || depth >= deepest ? {} : { cause: carry(error.cause, known, depth + 1) };
  if (!isBridgeError(error)) return { name, message, stack, ...cause };
  return { name, message, code: error.code, retryable: error.retryable, ...cause };
}

export function uncarry(carried: CarriedError, known?: unknown): unknown {
  if (carried === 'known') return known;
  const { name, message, stack, code, retryable = false } = carried;
  const cause = carried.cause === undefined ? undefined : uncarry(carried.cause, known);
  if (code !== undefined) return new BridgeError(code, message, { retryable, cause });
  const error = new Error(message, cause === undefined ? undefined : { cause });
  return Object.assign(error, { name }, stack === undefined ? {} : { stack });
}
