import type { Readable } from 'node:stream';
import type { Clock } from '../core/adapter.ts';
import { BridgeError } from '../core/errors.ts';
import type {
  GetOptions,
  ListedObject,
  ObjectContent,
  ObjectFacts,
  ObjectStore,
  OpenObject,
  PutOptions,
  PutOutcome,
} from '../core/payloads/object-store.ts';
import { type BucketSettings, bucketAddress } from './bucket-address.ts';
import type { Connections } from './connections.ts';
import { hashOf, hashOfBytes } from './content-hash.ts';
import { type CredentialSettings, credentialSource } from './credentials.ts';
import { type Answer, type ExchangeDeps, emptyHash, exchange } from './exchange.ts';
import { metadataHeaders, metadataOf } from './metadata.ts';
import { partBytes, putInParts } from './multipart.ts';
import { ResumedBody } from './resumed-body.ts';
import { parseAnswer, type Refused, readSome, textAt } from './s3-answer.ts';
import { presignedUrl } from './signature.ts';

export interface S3Settings extends BucketSettings, CredentialSettings {
  readonly region: string;
  /** Of one request, the first included. Default: 5. */
  readonly attempts?: number;
  /** Contents that are longer are sent in parts of this length. Default: 32 MiB. */
  readonly partBytes?: number;
}

export interface S3Deps {
  readonly connections: Connections;
  readonly clock: Clock;
}

const answerBytes = 65_536;
/** A thousand names of a thousand octets, each written as three. */
const listBytes = 4 * 1024 ** 2;

/**
 * Keys → bytes in a bucket of an object storage that speaks the protocol of Amazon S3: requests signed with Signature
 * Version 4, contents streamed both ways.
 */
export function createS3Store(settings: S3Settings, deps: S3Deps): ObjectStore {
  const bucket = bucketAddress(settings);
  const place = `the bucket ${settings.bucket} at ${bucket.base.host}`;
  const credentials = credentialSource(settings);
  const { region, attempts = 5 } = settings;
  const its: ExchangeDeps = { ...deps, credentials, region, place, attempts };
  const size = settings.partBytes ?? partBytes;

  async function put(key: string, content: ObjectContent, options: PutOptions = {}): Promise<PutOutcome> {
    if (content.length > size) return putInParts(its, bucket, key, content, options, size);
    const { mediaType, metadata, ifAbsent = false, ifMatch, signal } = options;
    const what = `to write ${key}`;
    const hash = content.sha256 ?? (await hashOf(content));
    const answer = await exchange(its, {
      method: 'PUT',
      url: bucket.urlOf(key),
      headers: {
        'x-amz-checksum-sha256': Buffer.from(hash, 'hex').toString('base64'),
        ...(mediaType === undefined ? {} : { 'content-type': mediaType }),
        ...metadataHeaders(metadata),
        ...(ifAbsent ? { 'if-none-match': '*' } : {}),
        ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
      },
      body: { length: content.length, open: () => content.open(0, content.length) },
      payloadHash: hash,
      what,
      signal,
      accepts: ({ status, code }) =>
        status === 412 || code === 'ConditionalRequestConflict' || (ifMatch !== undefined && status === 404),
    });
    if (answer.kind === 'ok') {
      await readSome(answer.body, answerBytes);
      return { kind: 'stored', etag: answer.headers.etag };
    }
    const isMissingBucket = answer.refused.code === 'NoSuchBucket';
    if (isMissingBucket) throw missingBucket(answer.refused);
    // An attempt whose answer did not come may have been carried out: then what is there is ours.
    if (answer.failures > 0 && (await isThere(key, hash, signal))) return { kind: 'stored', etag: undefined };
    return { kind: 'conflict' };
  }

  function missingBucket({ code }: Refused): BridgeError {
    return new BridgeError('objects-refused', `there is no bucket for ${place} (${code})`);
  }

  async function isThere(key: string, hash: string, signal: AbortSignal | undefined): Promise<boolean> {
    const found = await get(key, { signal });
    return found !== undefined && (await hashOfBytes(found.body)) === hash;
  }

  async function openFrom(
    key: string,
    { start = 0, end, signal }: GetOptions,
    etag?: string,
  ): Promise<Answer> {
    const isPart = start > 0 || end !== undefined;
    return exchange(its, {
      method: 'GET',
      url: bucket.urlOf(key),
      headers: {
        ...(isPart ? { range: `bytes=${start}-${end === undefined ? '' : end - 1}` } : {}),
        ...(etag === undefined ? {} : { 'if-match': etag }),
      },
      payloadHash: emptyHash,
      what: `to read ${key}`,
      signal,
      accepts: isMissing,
    });
  }

  async function get(key: string, options: GetOptions = {}): Promise<OpenObject | undefined> {
    const { start = 0, end, signal } = options;
    const answer = await openFrom(key, options);
    if (answer.kind === 'refused') return undefined;
    const announced = Number(answer.headers['content-length']);
    const total = totalOf(answer.headers['content-range']) ?? announced;
    const isPart = start > 0 || end !== undefined;
    const wanted = (end ?? total) - start;
    if (!Number.isSafeInteger(announced) || announced !== wanted || (isPart && answer.status !== 206)) {
      answer.body.destroy();
      const message = `${place} sends ${announced} octets of ${key}, not the ${wanted} that were asked for`;
      throw new BridgeError('objects-unavailable', message, { retryable: true });
    }
    const { etag } = answer.headers;
    const reopen = async (offset: number): Promise<Readable> => {
      const rest = await openFrom(key, { start: start + offset, end: start + wanted, signal }, etag);
      if (rest.kind === 'ok' && rest.status === 206) return rest.body;
      if (rest.kind === 'ok') rest.body.destroy();
      throw new BridgeError('objects-unavailable', `${key} in ${place} changed while it was read`);
    };
    const body = new ResumedBody(`${key} in ${place}`, answer.body, wanted, reopen);
    return { length: total, etag, body };
  }

  async function head(key: string, signal?: AbortSignal): Promise<ObjectFacts | undefined> {
    const url = bucket.urlOf(key);
    // Its answer has no body: that the bucket is missing is not told from a missing object.
    const accepts = ({ status }: Refused) => status === 404;
    const asked = { method: 'HEAD', url, payloadHash: emptyHash, what: `to look at ${key}` } as const;
    const answer = await exchange(its, { ...asked, signal, accepts });
    if (answer.kind === 'ok') {
      await readSome(answer.body, answerBytes);
      const { etag, 'content-length': length } = answer.headers;
      return { length: Number(length), etag, metadata: metadataOf(answer.headers) };
    }
    const found = await get(key, { signal });
    found?.body.destroy();
    return found && { length: found.length, etag: found.etag };
  }

  async function remove(key: string, signal?: AbortSignal): Promise<void> {
    const url = bucket.urlOf(key);
    const asked = { method: 'DELETE', url, payloadHash: emptyHash, what: `to delete ${key}` } as const;
    const answer = await exchange(its, { ...asked, signal, accepts: isMissing });
    if (answer.kind === 'ok') await readSome(answer.body, answerBytes);
  }

  async function* list(prefix: string, signal?: AbortSignal): AsyncGenerator<ListedObject> {
    const what = `to list ${prefix}`;
    for (let token: string | undefined; ; ) {
      const url = bucket.bucketUrl({
        'list-type': '2',
        'encoding-type': 'url',
        prefix: bucket.fullKey(prefix),
        ...(token === undefined ? {} : { 'continuation-token': token }),
      });
      const answer = await exchange(its, { method: 'GET', url, payloadHash: emptyHash, what, signal });
      const text = answer.kind === 'ok' ? await readSome(answer.body, listBytes) : '';
      const result = parseAnswer(text)?.ListBucketResult;
      if (result === undefined)
        throw new BridgeError('objects-unavailable', `${place} sends no list that can be read, ${what}`);
      yield* listedIn(result, bucket.ownKey);
      const next = textAt(result, 'NextContinuationToken');
      if (textAt(result, 'IsTruncated')?.trim() !== 'true' || next === undefined || next === token) return;
      token = next;
    }
  }

  return {
    place,
    put,
    get,
    head,
    delete: remove,
    list,
    presigned: (key, { seconds, mediaType }) => {
      const query = mediaType === undefined ? {} : { 'response-content-type': mediaType };
      const signing = { credentials: credentials.current(), region, now: deps.clock.now() };
      return presignedUrl('GET', bucket.urlOf(key, query), seconds, signing);
    },
  };
}

function isMissing({ status, code }: Refused): boolean {
  return status === 404 && (code === 'NoSuchKey' || code === 'NotFound');
}

function totalOf(contentRange: string | undefined): number | undefined {
  const total = /^bytes \d+-\d+\/(\d+)$/.exec(contentRange ?? '')?.[1];
  return total === undefined ? undefined : Number(total);
}

function* listedIn(result: unknown, ownKey: (key: string) => string | undefined): Generator<ListedObject> {
  const contents = (result as { Contents?: unknown }).Contents;
  for (const entry of Array.isArray(contents) ? contents : []) {
    const written = textAt(entry, 'Key') ?? '';
    const encoded = textAt(result, 'EncodingType')?.trim() === 'url';
    const key = ownKey(encoded ? decoded(written) : written);
    const length = Number(textAt(entry, 'Size'));
    if (key !== undefined && Number.isSafeInteger(length)) yield { key, length };
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
