import type { Clock } from '../core/adapter.ts';
import { BridgeError } from '../core/errors.ts';
import type { ObjectStore } from '../core/payloads/object-store.ts';
import { createAddressGuard } from '../harvest/http/address-guard.ts';
import { bucketAddress } from '../objects/bucket-address.ts';
import { createConnections } from '../objects/connections.ts';
import { createS3Store } from '../objects/s3-store.ts';

const bucketForm = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9._/-]*))?$/;

/**
 * A bucket by its address `s3://BUCKET/PREFIX`, with what the tools of AWS read from the environment: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN,
 * AWS_REGION, AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL, and AWS_SHARED_CREDENTIALS_FILE.
 * @throws BridgeError `usage`
 */
export function openBucket(
  address: string,
  env: Readonly<Record<string, string | undefined>>,
  clock: Clock,
): { readonly store: ObjectStore; close(): void } {
  const [, bucket, prefix = ''] = bucketForm.exec(address) ?? [];
  if (bucket === undefined) throw new BridgeError('usage', `${address}: give s3://BUCKET/PREFIX`);
  const region = env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? 'us-east-1';
  const own = env.AWS_ENDPOINT_URL_S3 ?? env.AWS_ENDPOINT_URL;
  if (own !== undefined && !/^https?:\/\//.test(own))
    throw new BridgeError('usage', `AWS_ENDPOINT_URL is ${own}: give the address of an object storage`);
  const settings = {
    endpoint: own ?? `https://s3.${region}.amazonaws.com`,
    ...{ bucket, prefix, region },
    // A storage of one's own seldom has a host name for each bucket.
    pathStyle: own !== undefined,
    accessKeyId: env.AWS_ACCESS_KEY_ID,
    secretAccessKey: env.AWS_SECRET_ACCESS_KEY,
    sessionToken: env.AWS_SESSION_TOKEN,
    credentialsFile: env.AWS_ACCESS_KEY_ID === undefined ? env.AWS_SHARED_CREDENTIALS_FILE : undefined,
  };
  const guard = createAddressGuard({
    endpoint: bucketAddress(settings).base,
    scope: 'endpoint',
    allow: [],
    allowPrivate: false,
  });
  const connections = createConnections({ connections: 16, timeoutSeconds: 30, guard });
  const store = createS3Store(settings, { clock, connections });
  return { store, close: () => connections.close() };
}
