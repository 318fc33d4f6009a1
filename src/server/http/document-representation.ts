import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { PublishedDocument } from '../../publish/published/publication.ts';
import { wantsGzip } from './negotiation.ts';
import type { ServedRepresentation } from './representation.ts';

/** A document, plain or gzipped, as the request would have it. */
export function documentRepresentation(
  document: PublishedDocument,
  acceptEncoding: string | undefined,
): ServedRepresentation {
  const gzip = wantsGzip(acceptEncoding) ? document.gzip : undefined;
  const variant = gzip ?? document.plain;
  return {
    etag: variant.etag,
    length: variant.length,
    // A package is compressed inside: there is nothing to negotiate.
    ...(document.gzip ? { coding: gzip ? 'gzip' : 'identity' } : {}),
    lastModified: document.lastModified,
    unsettled: document.unsettled,
    mediaType: document.mediaType,
    // What is in a package may have to go: whoever keeps one is to ask whether it is still handed out.
    cacheControl: document.immutable && !document.packed ? 'public, max-age=31536000, immutable' : 'no-cache',
    // A part of a gzip stream is of no use alone: who asks for a range gets one of the plain bytes, or all.
    ranges: !gzip,
    ...(document.redirect ? { redirect: document.redirect } : {}),
    open: async (start, end) =>
      (await variant.whole?.())?.subarray(start, end) ?? begun(variant.open(start, end)),
  };
}

/** Before anything is said of it: that it cannot be opened is known while there still is another answer. */
async function begun(bytes: Readable): Promise<Readable> {
  await once(bytes, 'readable');
  return bytes;
}
