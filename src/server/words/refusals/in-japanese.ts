import type { Facts, ReasonCode } from '../../../core/reasons/reason.ts';

/** A sentence for each of some codes, from the same facts as the English one. */
export type InJapanese<Codes extends ReasonCode> = {
  readonly [Code in Codes]: (facts: Facts<Code>) => string;
};
