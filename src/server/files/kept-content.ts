import type { Readable } from 'node:stream';
import { BridgeError } from '../../core/errors.ts';
import { contentFile } from '../../store/payloads/content-files.ts';
import { readContents } from '../../store/payloads/contents.ts';
import { setAside } from '../../store/payloads/damaged-contents.ts';
import type { ServerDeps } from '../deps.ts';
import type { ServedRepresentation } from '../http/representation.ts';
import { openKeptFile } from './kept-file.ts';
import { openKeptObject } from './kept-object.ts';

/** What is known of bytes that we keep. */
export interface KeptContent {
  readonly path: string;
  readonly hash?: string | undefined;
  readonly length?: number | undefined;
  readonly mediaType?: string | undefined;
  readonly lastModified: string;
}

export interface KeptHeaders {
  readonly cacheControl: string;
  readonly link?: string | undefined;
  readonly others?: Readonly<Record<string, string>>;
}

/**
 * The exact bytes, never content-coded: `length` and `hash` in the lists are those of this body (HC-11). Small ones
 * are in the database, large ones are streamed from their files.
 * @throws BridgeError `content-damaged` when they are not under the hash they should have
 */
export function keptRepresentation(
  deps: Pick<ServerDeps, 'database' | 'directory'>,
  content: KeptContent,
  { cacheControl, link, others }: KeptHeaders,
): ServedRepresentation {
  const { path, hash = '', length = 0, mediaType = 'application/xml', lastModified } = content;
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
      'content-security-policy': metadataPolicy,
      ...others,
      'repr-digest': reprDigest(digest),
      ...(link === undefined ? {} : { link }),
    },
    check: async () => {
      const opened = await openKept(deps, { path, hash, length }, 0, 0);
      if ('destroy' in opened) opened.destroy();
    },
    open: (start, end) => openKept(deps, { path, hash, length }, start, end),
  };
}

/**
 * XML from elsewhere runs nothing, loads nothing and is no part of our origin; but the tree that a browser shows it as
 * brings its style along, and without that would be told twice, as text.
 */
const metadataPolicy =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** RFC 9530. @param digest in hex */
export function reprDigest(digest: string): string {
  return `sha-256=:${Buffer.from(digest, 'hex').toString('base64')}:`;
}

async function openKept(
  { database, directory }: Pick<ServerDeps, 'database' | 'directory'>,
  owner: { readonly path: string; readonly hash: string; readonly length: number },
  start: number,
  end: number,
): Promise<Uint8Array | Readable> {
  for await (const { content } of readContents(database.reader, directory, [owner])) {
    if (content.coding !== 'file') return content.bytes.subarray(start, end);
    const { open } = content;
    if (open) return openKeptObject(directory, { ...owner, ...content, open }, start, end);
    const file = contentFile(directory, owner.hash);
    // Whoever serves sees it there, and has it downloaded again.
    const onDamage = (ino?: number) => void setAside(directory, owner.hash, ino);
    const { length, crc } = content;
    return openKeptFile({ file, path: owner.path, length, crc, onDamage }, start, end);
  }
  throw new BridgeError('content-damaged', `the content of ${owner.path} is missing`);
}
