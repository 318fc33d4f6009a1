import type { Clock } from '../core/adapter.ts';
import type { Config } from '../core/config/config.ts';
import { parseAllowedPlace } from '../core/config/network-allow.ts';
import { toIso } from '../core/datetime.ts';
import type { ObjectStore } from '../core/payloads/object-store.ts';
import { createAddressGuard } from '../harvest/http/address-guard.ts';
import { bucketAddress } from '../objects/bucket-address.ts';
import { createConnections } from '../objects/connections.ts';
import { createS3Store } from '../objects/s3-store.ts';
import { usePublishedBucket } from '../publish/bucket/published-bucket.ts';
import { publicationRoot } from '../publish/published/publication.ts';
import type { Database } from '../store/engine/database.ts';
import { useBucket } from '../store/objects/object-contents.ts';

export interface ObjectStorage {
  readonly store: ObjectStore;
  close(): void;
}

/** The object storage of the configuration, if there is one. Nothing is asked of it yet. */
export function openObjectStorage(
  { storage, network, directory }: Pick<Config, 'storage' | 'network' | 'directory'>,
  clock: Clock,
  database: Database,
): ObjectStorage | undefined {
  const { s3 } = storage;
  if (!s3) return undefined;
  const guard = createAddressGuard({
    endpoint: bucketAddress(s3).base,
    scope: 'endpoint',
    allow: network.allow.flatMap((entry) => parseAllowedPlace(entry) ?? []),
    allowPrivate: false,
  });
  const { connections: atATime, timeoutSeconds } = s3;
  const connections = createConnections({ connections: atATime, timeoutSeconds, guard });
  const store = createS3Store(s3, { clock, connections });
  const contents = {
    store,
    takesNew: storage.files === 's3',
    redirectSeconds: storage.redirectSeconds,
    payloadsAbove: storage.payloads === 's3' ? storage.payloadKilobytes * 1024 : undefined,
    now: () => toIso(clock.now()),
  };
  useBucket(directory, contents, database);
  const root = publicationRoot(directory);
  usePublishedBucket(root, {
    ...{ database, store, redirectSeconds: storage.redirectSeconds },
    documents: storage.documents === 's3',
    packages: storage.dumps === 's3',
    cacheBytes: storage.cacheMegabytes * 1024 ** 2,
    now: () => toIso(clock.now()),
  });
  return {
    store,
    close: () => {
      useBucket(directory, undefined, database);
      usePublishedBucket(root, undefined);
      connections.close();
    },
  };
}
