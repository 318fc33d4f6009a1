import { createHash } from 'node:crypto';
import { BridgeError } from '../core/errors.ts';
import type { ObjectContent, PutOptions, PutOutcome } from '../core/payloads/object-store.ts';
import type { BucketAddress } from './bucket-address.ts';
import { type Exchange, type ExchangeDeps, emptyHash, exchange } from './exchange.ts';
import { metadataHeaders } from './metadata.ts';
import { parseAnswer, readSome, refusalError, textAt } from './s3-answer.ts';

/** Rules of the protocol. */
const mostParts = 10_000;
const answerBytes = 65_536;

/** Contents that are longer are sent in parts; of what fails, only a part has to be sent again. */
export const partBytes = 32 * 1024 ** 2;

/**
 * Sends a content in parts, each read twice: for its hash, by which the server checks it, and to be sent. What fails is
 * given up, so that nothing is left of it there.
 */
export async function putInParts(
  deps: ExchangeDeps,
  bucket: BucketAddress,
  key: string,
  content: ObjectContent,
  options: PutOptions,
  size = partBytes,
): Promise<PutOutcome> {
  const { signal, mediaType, metadata } = options;
  const what = `to write ${key}`;
  const uploadId = await begin(deps, bucket, key, { what, signal, mediaType, metadata });
  try {
    const each = Math.max(size, Math.ceil(content.length / mostParts));
    const etags: string[] = [];
    for (let start = 0; start < content.length; start += each) {
      const end = Math.min(content.length, start + each);
      const part = { uploadId, partNumber: String(etags.length + 1) };
      etags.push(await putPart(deps, bucket.urlOf(key, part), content, [start, end], { what, signal }));
    }
    return await complete(deps, bucket.urlOf(key, { uploadId }), etags, what, options);
  } catch (error) {
    await giveUp(deps, bucket.urlOf(key, { uploadId })).catch(() => undefined);
    throw error;
  }
}

async function begin(
  deps: ExchangeDeps,
  bucket: BucketAddress,
  key: string,
  {
    what,
    signal,
    mediaType,
    metadata,
  }: Pick<Exchange, 'what' | 'signal'> & Pick<PutOptions, 'mediaType' | 'metadata'>,
): Promise<string> {
  const answer = await exchange(deps, {
    method: 'POST',
    url: bucket.urlOf(key, { uploads: '' }),
    headers: {
      ...(mediaType === undefined ? {} : { 'content-type': mediaType }),
      ...metadataHeaders(metadata),
    },
    body: { length: 0, open: nothing },
    payloadHash: emptyHash,
    what,
    signal,
  });
  const text = answer.kind === 'ok' ? await readSome(answer.body, answerBytes) : '';
  const uploadId = textAt(parseAnswer(text), 'InitiateMultipartUploadResult', 'UploadId')?.trim();
  if (uploadId) return uploadId;
  throw new BridgeError('objects-unavailable', `${deps.place} does not say how ${what} in parts`);
}

async function putPart(
  deps: ExchangeDeps,
  url: URL,
  content: ObjectContent,
  [start, end]: readonly [number, number],
  { what, signal }: Pick<Exchange, 'what' | 'signal'>,
): Promise<string> {
  const sha = createHash('sha256');
  for await (const chunk of content.open(start, end)) sha.update(chunk);
  const answer = await exchange(deps, {
    method: 'PUT',
    url,
    body: { length: end - start, open: () => content.open(start, end) },
    payloadHash: sha.digest('hex'),
    what,
    signal,
  });
  if (answer.kind === 'ok') await readSome(answer.body, answerBytes);
  const etag = answer.kind === 'ok' ? answer.headers.etag : undefined;
  if (etag !== undefined) return etag;
  throw new BridgeError('objects-unavailable', `${deps.place} does not say that it has a part, ${what}`);
}

async function complete(
  deps: ExchangeDeps,
  url: URL,
  etags: readonly string[],
  what: string,
  { ifAbsent = false, ifMatch, signal }: PutOptions,
): Promise<PutOutcome> {
  const parts = etags.map((etag, index) => {
    const escaped = etag.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    return `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escaped}</ETag></Part>`;
  });
  const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
  const answer = await exchange(deps, {
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/xml',
      ...(ifAbsent ? { 'if-none-match': '*' } : {}),
      ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
    },
    body: {
      length: body.byteLength,
      open: async function* () {
        yield body;
      },
    },
    payloadHash: createHash('sha256').update(body).digest('hex'),
    what,
    signal,
    accepts: ({ status, code }) => status === 412 || code === 'NoSuchUpload',
  });
  if (answer.kind === 'refused') {
    // It was completed by an attempt whose answer did not come.
    if (answer.refused.code === 'NoSuchUpload' && answer.failures > 0)
      return { kind: 'stored', etag: undefined };
    if (answer.refused.status === 412) {
      await giveUp(deps, url);
      return { kind: 'conflict' };
    }
    throw refusalError(answer.refused, what, deps.place, deps.clock.now());
  }
  // The status comes before the work is done: what went wrong is told in the body.
  const said = parseAnswer(await readSome(answer.body, answerBytes));
  const etag = textAt(said, 'CompleteMultipartUploadResult', 'ETag')?.trim();
  if (etag !== undefined) return { kind: 'stored', etag };
  const code = textAt(said, 'Error', 'Code') ?? 'an answer that is none';
  const message = `${deps.place} could not put the parts together, ${what} (${code})`;
  throw new BridgeError('objects-unavailable', message, { retryable: true });
}

async function giveUp(deps: ExchangeDeps, url: URL): Promise<void> {
  const what = 'to give up an upload';
  const accepts = () => true;
  const answer = await exchange(deps, { method: 'DELETE', url, payloadHash: emptyHash, what, accepts });
  if (answer.kind === 'ok') await readSome(answer.body, answerBytes);
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
