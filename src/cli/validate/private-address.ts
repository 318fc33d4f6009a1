import { BridgeError, isBridgeError } from '../../core/errors.ts';

/** An error as it came; where a private address was refused, with the option that allows it. */
export function withPrivateHint(error: unknown): unknown {
  if (!isBridgeError(error, 'address-refused') || !/public address$/.test(error.message)) return error;
  const message = `${error.message}; --allow-private follows such links`;
  return new BridgeError('address-refused', message, { cause: error });
}
