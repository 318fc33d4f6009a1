import type { FileAccess, SourceFile } from '../adapter.ts';
import type { Bitstream } from './dspace-item.ts';

/** What an item's bitstreams do not say themselves. */
export interface FilePlace {
  readonly url: string;
  readonly access: FileAccess;
  /** `SourceFile.availableAt`. */
  readonly availableAt?: string | undefined;
  /** The bytes handed out are not those that were counted and hashed. */
  readonly isAltered?: boolean;
}

const longestName = 1000;

/**
 * Bitstreams as the contract has files. Sequence: the repository's own number where it has one that no other file of
 * the item has; the others follow behind the highest, in order.
 */
export function toSourceFiles(
  bitstreams: readonly Bitstream[],
  placeOf: (bitstream: Bitstream) => FilePlace,
): readonly SourceFile[] {
  const sequences = sequencesOf(bitstreams);
  return bitstreams.map((bitstream, index) => {
    const { url, access, availableAt, isAltered } = placeOf(bitstream);
    const mediaType = mediaTypeOf(bitstream.mimeType);
    const length = isAltered ? undefined : bitstream.sizeBytes;
    const hash = isAltered ? undefined : hashOf(bitstream.checkSum);
    return {
      url,
      name: bitstream.name.slice(0, longestName),
      sequence: sequences[index] ?? index + 1,
      ...(mediaType === undefined ? {} : { mediaType }),
      ...(length === undefined ? {} : { length }),
      ...(hash === undefined ? {} : { hash }),
      access,
      ...(availableAt === undefined ? {} : { availableAt }),
    };
  });
}

const highestSequence = 9_999_999;

function sequencesOf(bitstreams: readonly Bitstream[]): readonly number[] {
  const counts = new Map<number, number>();
  for (const { sequenceId } of bitstreams) {
    if (sequenceId !== undefined) counts.set(sequenceId, (counts.get(sequenceId) ?? 0) + 1);
  }
  const isOwn = (id: number | undefined): id is number =>
    id !== undefined && id > 0 && id <= highestSequence && counts.get(id) === 1;
  let next = 0;
  for (const { sequenceId } of bitstreams) if (isOwn(sequenceId)) next = Math.max(next, sequenceId);
  return bitstreams.map(({ sequenceId }) => {
    if (isOwn(sequenceId)) return sequenceId;
    next += 1;
    return next;
  });
}

const mediaTypeForm = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;

/** DSpace's registry of formats is edited by people: `text/plain; charset=utf-8`, `application/pdf `. */
export function mediaTypeOf(stated: string | undefined): string | undefined {
  const bare = stated?.split(';', 1)[0]?.trim().toLowerCase();
  return bare !== undefined && mediaTypeForm.test(bare) ? bare : undefined;
}

const digests: ReadonlyMap<string, { readonly name: string; readonly length: number }> = new Map([
  ['md5', { name: 'md5', length: 32 }],
  ['sha1', { name: 'sha-1', length: 40 }],
  ['sha256', { name: 'sha-256', length: 64 }],
]);

/** `SourceFile.hash`; undefined for other algorithms, and for what is no digest. */
export function hashOf(checkSum: Bitstream['checkSum']): string | undefined {
  if (checkSum === undefined) return undefined;
  const known = digests.get(checkSum.algorithm.toLowerCase().replace(/[-_\s]/g, ''));
  const hex = checkSum.value.trim().toLowerCase();
  const isDigest = hex.length === known?.length && /^[0-9a-f]+$/.test(hex) && !/^0+$/.test(hex);
  return isDigest ? `${known?.name}:${hex}` : undefined;
}
