import { createRandom } from '../../../src/core/draws/random.ts';

/** What is odd about an endpoint, if anything. */
export type Quirk = 'none' | 'dead' | 'hanging' | (typeof odd)[number];

/**
 * `busy` answers 503 now and then, `cut` breaks off in a body, `forgetful` forgets tokens, `untidy` has blanks and comments,
 * `coarse` knows days alone, `lagging` shows changes some seconds after their datestamp, `repeating` has records on two
 * pages, `redirecting` is somewhere else now, `gzipped` compresses whoever asks.
 */
const odd = [
  'busy',
  'cut',
  'forgetful',
  'untidy',
  'coarse',
  'lagging',
  'repeating',
  'redirecting',
  'gzipped',
] as const;

export interface EndpointPlan {
  readonly name: string;
  /** An address of the loopback network of its own, so that it is a host of its own. */
  readonly host: string;
  /** A machine that has the names of several, if this is one of them. */
  readonly platform: string | undefined;
  /** Requests at once that its host, or its platform, is to have at most. */
  readonly limit: number;
  /** Records in the beginning. */
  readonly size: number;
  readonly latencyMs: number;
  readonly quirk: Quirk;
}

const largest = 500_000;
export const requestsAtPlatform = 4;

/** Sizes with a long tail (the n-th has an n-th of the first), latencies from 20 ms to 3 s, a tenth odd, a twentieth gone. */
export function planEndpoints(count: number, records: number, seed = 1): readonly EndpointPlan[] {
  const number = createRandom(seed);
  const harmonic = Array.from({ length: count }, (_, index) => 1 / (index + 1)).reduce((a, b) => a + b, 0);
  return Array.from({ length: count }, (_, index) => {
    // Whatever is large answers like the others.
    const rank = (index * 7919) % count;
    const platform = index % 20 === 5 ? 'hosting' : undefined;
    return {
      name: `repository-${index}`,
      host: `127.1.${index >> 8}.${index & 255}`,
      platform,
      limit: platform === undefined ? (index % 4 === 2 ? 2 : 1) : requestsAtPlatform,
      size: Math.max(3, Math.min(largest, Math.round(records / harmonic / (rank + 1)))),
      latencyMs: Math.round(20 * 150 ** number()),
      quirk: quirkOf(index),
    };
  });
}

function quirkOf(index: number): Quirk {
  if (index % 40 === 7) return 'dead';
  if (index % 40 === 27) return 'hanging';
  if (index % 10 === 3) return odd[Math.floor(index / 10) % odd.length] ?? 'none';
  return 'none';
}

/** Of what is published of it: those that are gone have nothing. */
export function isThere({ quirk }: EndpointPlan): boolean {
  return quirk !== 'dead' && quirk !== 'hanging';
}
