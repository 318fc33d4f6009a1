import { BridgeError } from '../core/errors.ts';
import { readBlob } from '../store/blobs.ts';
import type { ServerDeps } from './deps.ts';
import type { ServedRepresentation } from './representation.ts';

/** What is known of bytes that we keep. */
export interface KeptContent {
  readonly path: string;
  readonly hash?: string | undefined;
  readonly length?: number | undefined;
  readonly mediaType?: string | undefined;
  readonly lastModified: string;
}

/**
 * The exact bytes, never content-coded: `length` and `hash` in the lists are those of this body (HC-11).
 * @throws BridgeError `content-damaged` when they are not under the hash they should have
 */
export function keptRepresentation(
  { database }: Pick<ServerDeps, 'database'>,
  { path, hash = '', length = 0, mediaType = 'application/xml', lastModified }: KeptContent,
  cacheControl: string,
  link?: string,
): ServedRepresentation {
  const digest = /^sha-256:([0-9a-f]{64})$/.exec(hash)?.[1];
  if (digest === undefined) throw new BridgeError('content-damaged', `${path} has no digest`);
  return {
    etag: `"${digest}"`,
    length,
    ranges: true,
    lastModified,
    mediaType,
    cacheControl: `${cacheControl}, no-transform`,
    headers: {
      'repr-digest': `sha-256=:${Buffer.from(digest, 'hex').toString('base64')}:`,
      ...(link === undefined ? {} : { link }),
    },
    open: async (start, end) => {
      const content = await readBlob(database.reader, hash);
      if (content?.byteLength === length) return content.subarray(start, end);
      throw new BridgeError('content-damaged', `the content of ${path} is not complete`);
    },
  };
}
