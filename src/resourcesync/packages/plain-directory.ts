import type { ZipFile } from 'yauzl';
import type { FileWindow } from './file-window.ts';
import type { MemberPlace } from './small-member.ts';

/** Of an entry, before its name. */
const headOctets = 46;
/** Behind it, nearly always enough. */
const usualOctets = 256;
const signature = 0x02014b50;
/** A number stands elsewhere. */
const elsewhere = 0xffff_ffff;
const zip64Field = 0x0001;

/**
 * Reads entries of a package's directory as nearly all are written, up to the first that is written otherwise: what that means, or what is
 * wrong with it, is for yauzl to say, which goes on from there. What it makes of each takes five times as long.
 * @param most so many at a time
 */
export function readPlainEntries(
  zip: ZipFile,
  window: FileWindow,
  most: number,
  take: (name: string, place: MemberPlace) => void,
): void {
  let cursor = Number(zip.readEntryCursor);
  let { entriesRead } = zip;
  for (const end = Math.min(zip.entryCount, entriesRead + most); entriesRead < end; ) {
    let entry = window.bytes(cursor, headOctets + usualOctets);
    const length = entry.length < headOctets ? undefined : lengthOf(entry);
    if (length === undefined) break;
    if (length > entry.length) entry = window.bytes(cursor, length);
    const place = length > entry.length ? undefined : plainPlace(entry);
    if (place === undefined) break;
    cursor += length;
    entriesRead += 1;
    take(entry.toString('utf8', headOctets, headOctets + place.fileNameLength), place);
  }
  Object.assign(zip, { readEntryCursor: cursor, entriesRead });
}

/** With the name, the extra fields and the comment. */
function lengthOf(head: Buffer): number {
  return headOctets + head.readUInt16LE(28) + head.readUInt16LE(30) + head.readUInt16LE(32);
}

/** @returns undefined: it is encrypted, of 4 GB and more, stored with two lengths, or no entry */
function plainPlace(entry: Buffer): MemberPlace | undefined {
  const place = {
    relativeOffsetOfLocalHeader: entry.readUInt32LE(42),
    compressedSize: entry.readUInt32LE(20),
    uncompressedSize: entry.readUInt32LE(24),
    compressionMethod: entry.readUInt16LE(10),
    generalPurposeBitFlag: entry.readUInt16LE(8),
    fileNameLength: entry.readUInt16LE(28),
    crc32: entry.readUInt32LE(16),
  };
  const { relativeOffsetOfLocalHeader, compressedSize, uncompressedSize, compressionMethod } = place;
  const isPlain =
    entry.readUInt32LE(0) === signature &&
    (place.generalPurposeBitFlag & 0x41) === 0 &&
    relativeOffsetOfLocalHeader !== elsewhere &&
    compressedSize !== elsewhere &&
    uncompressedSize !== elsewhere &&
    (compressionMethod !== 0 || compressedSize === uncompressedSize);
  return isPlain && hasPlainFields(entry, headOctets + place.fileNameLength) ? place : undefined;
}

/** @param start of the extra fields */
function hasPlainFields(entry: Buffer, start: number): boolean {
  const end = start + entry.readUInt16LE(30);
  for (let at = start; at < end - 3; at += 4 + entry.readUInt16LE(at + 2)) {
    const isPlain = entry.readUInt16LE(at) !== zip64Field && at + 4 + entry.readUInt16LE(at + 2) <= end;
    if (!isPlain) return false;
  }
  return true;
}
