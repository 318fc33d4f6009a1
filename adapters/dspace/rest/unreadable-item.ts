import { BridgeError } from '../../../src/core/errors.ts';

/** One item's data cannot be made sense of, or not in full; the others are none the worse for it. */
export class UnreadableItem extends BridgeError {
  /** @param reason ends the sentence "The item … cannot be read: " */
  constructor(reason: string, cause?: unknown) {
    super('upstream-protocol', reason, { cause, retryable: true });
    this.name = 'UnreadableItem';
  }
}
