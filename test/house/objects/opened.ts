import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { ObjectStore } from '../../../src/core/payloads/object-store.ts';
import { createConnections } from '../../../src/objects/connections.ts';
import { createS3Store, type S3Settings } from '../../../src/objects/s3-store.ts';
import { accessKeyId, secretAccessKey } from './versitygw.ts';

export interface OpenedStore {
  readonly store: ObjectStore;
  /** Milliseconds that it wanted to wait. */
  readonly waits: readonly number[];
  close(): void;
}

/** A client that waits for nothing. @param shift milliseconds that our clock is ahead */
export function openStore(
  endpoint: string,
  settings: Partial<S3Settings> = {},
  { shift = 0, timeoutSeconds = 60 } = {},
): OpenedStore {
  const waits: number[] = [];
  const guard = { checkHost: () => undefined, lookup: () => lookup as LookupFunction };
  const connections = createConnections({ connections: 64, timeoutSeconds, guard });
  const clock = {
    now: () => new Date(Date.now() + shift),
    sleep: async (milliseconds: number) => {
      waits.push(milliseconds);
    },
  };
  const base = { bucket: 'bridge', prefix: 'rs/', pathStyle: true, region: 'us-east-1' };
  const credentials = settings.credentialsFile === undefined ? { accessKeyId, secretAccessKey } : {};
  const store = createS3Store({ endpoint, ...base, ...credentials, ...settings }, { connections, clock });
  return { store, waits, close: () => connections.close() };
}
