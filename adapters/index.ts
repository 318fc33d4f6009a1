import type { Adapter, AdapterContext, AdapterKind, AdapterSettings } from '../src/core/adapter.ts';
import { BridgeError } from '../src/core/errors.ts';
import { dspace } from './dspace/adapter.ts';
import { dspaceLegacy } from './dspace-legacy/adapter.ts';
import { oaiPmh } from './oai-pmh/adapter.ts';
import { resourceSync } from './resourcesync/adapter.ts';

/** Every protocol we can read. */
export const adapterKinds: readonly AdapterKind[] = [oaiPmh, dspace, dspaceLegacy, resourceSync];

/** @throws BridgeError `config-invalid` for a kind that nobody implements */
export function createAdapter(kind: string, settings: AdapterSettings, context: AdapterContext): Adapter {
  const found = adapterKinds.find((candidate) => candidate.kind === kind);
  if (found !== undefined) return found.create(settings, context);
  const known = adapterKinds.map((candidate) => candidate.kind).join(', ');
  throw new BridgeError('config-invalid', `there is no adapter called "${kind}"; there is ${known}`);
}
