import type { BridgeError } from '../../../src/core/errors.ts';

/** Whoever asks for the next thing would fare no better. */
export function isHopeless({ code }: Pick<BridgeError, 'code'>): boolean {
  return code === 'upstream-unreachable' || code === 'upstream-busy' || code === 'interrupted';
}
