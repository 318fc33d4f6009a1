import { createHash } from 'node:crypto';
import { BridgeError } from '../../core/errors.ts';
import { answerFaults } from './answers.ts';
import { changeFaults } from './changes.ts';
import { connectionFaults } from './connections.ts';
import { discoveryFaults } from './discovery.ts';
import { dumpFaults } from './dumps.ts';
import { entryFaults } from './entries.ts';
import type { Fault } from './fault.ts';
import { listFaults } from './lists.ts';
import { writingFaults } from './writing.ts';

/** Every fault that there is, in the order of the path from the address to the bytes. */
export const allFaults: readonly Fault[] = [
  ...discoveryFaults,
  ...writingFaults,
  ...listFaults,
  ...entryFaults,
  ...changeFaults,
  ...dumpFaults,
  ...answerFaults,
  ...connectionFaults,
];

/** A fault that is on, and how often it strikes. */
export interface ActiveFault {
  readonly fault: Fault;
  readonly strikes: (...words: readonly (string | number)[]) => boolean;
}

/**
 * `busy`, `busy:0.5`: the part of addresses or requests that it strikes stands behind the name.
 * @throws BridgeError `usage`
 */
export function parseFault(text: string, seed: number): ActiveFault {
  const [, name = '', share] = /^([\w-]+)(?::(0(?:\.\d+)?|1(?:\.0+)?|\.\d+))?$/.exec(text.trim()) ?? [];
  const fault = allFaults.find((one) => one.name === name);
  if (fault === undefined) throw new BridgeError('usage', unknown(text));
  const part = share === undefined ? fault.share : Number(share);
  const strikes = (...words: readonly (string | number)[]) => chance(seed, name, words) < part;
  return { fault, strikes };
}

/** In [0, 1): drawn anew for other words, and for the same always the same. */
function chance(seed: number, name: string, words: readonly (string | number)[]): number {
  const digest = createHash('md5')
    .update([seed, name, ...words].join(' '))
    .digest();
  return digest.readUInt32LE() / 4_294_967_296;
}

function unknown(text: string): string {
  const near = allFaults.filter(({ name }) =>
    text.split(/[-:]/).some((word) => word !== '' && name.includes(word)),
  );
  const meant =
    near.length === 0
      ? ''
      : `; perhaps ${near
          .slice(0, 5)
          .map(({ name }) => name)
          .join(', ')}`;
  return `there is no fault called ${text}${meant}: \`rsbridge simulate --list-faults\` lists them, and NAME:SHARE says how often one strikes, from 0 to 1`;
}
