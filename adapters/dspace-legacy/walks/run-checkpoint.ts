import type { Checkpoint } from '../../../src/core/adapter.ts';
import { parseDatestamp } from '../../../src/core/datetime.ts';
import { asObject } from '../rest/json-value.ts';

/** Where a run goes on: `walk` through the collections, or through the `changes` that OAI-PMH tells of. */
export interface RunCheckpoint {
  readonly kind: 'walk' | 'changes';
  /** The upstream's clock when the run began, ISO UTC. */
  readonly asOf: string | undefined;
  readonly at: Checkpoint;
}

export function toCheckpoint(
  kind: RunCheckpoint['kind'],
  asOf: string,
  at: Checkpoint | undefined,
): Checkpoint | undefined {
  return at && { kind, asOf, at };
}

/** Tolerant: a checkpoint nobody understands starts the run again, which loses nothing. */
export function fromCheckpoint(checkpoint: Checkpoint | undefined): RunCheckpoint | undefined {
  const { kind, asOf, at } = checkpoint ?? {};
  const own = asObject(at);
  if ((kind !== 'walk' && kind !== 'changes') || own === undefined) return undefined;
  return { kind, asOf: typeof asOf === 'string' ? parseDatestamp(asOf) : undefined, at: own };
}
