import { isBridgeError } from '../../../src/core/errors.ts';
import { asObject } from '../rest/json-value.ts';
import { handlePath, type LegacyRest } from '../rest/rest-service.ts';
import type { CollectionTree } from './collection-tree.ts';

/**
 * Whether the service answers for something that is known to be there. Otherwise nothing that it refuses or denies
 * means anything: it is being installed anew, has lost its database, or something before it lets nobody through.
 */
export async function isAnswering(
  rest: LegacyRest,
  tree: CollectionTree,
  signal: AbortSignal,
): Promise<boolean> {
  const witness = tree.collections.find(({ handle }) => handle !== undefined)?.handle;
  if (witness === undefined) return rest.isRunning(signal);
  try {
    return asObject(await rest.get(handlePath(witness), [], signal)) !== undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (isBridgeError(error)) return false;
    throw error;
  }
}
