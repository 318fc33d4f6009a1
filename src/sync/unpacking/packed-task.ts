import type { MemberToUnpack, UnpackingTask } from './unpack.ts';

/** A task on its way to a thread: thousands of small objects cost less as one text and a row of numbers. */
export interface PackedTask {
  /** Of the task, then of each member; no path and no hash has the character between them. */
  readonly texts: string;
  readonly isHidden: boolean;
  readonly numbers: Float64Array<ArrayBuffer>;
}

const separator = '\0';
/** Of each member. */
const numbersEach = 9;

export function packTask({ package: file, parts, isHidden, members }: UnpackingTask): PackedTask {
  const texts: string[] = [file, parts];
  const numbers = new Float64Array(members.length * numbersEach);
  let at = 0;
  for (const { place, stated, length, file: target, modifiedMs } of members) {
    texts.push(target, stated.hashes.join(' '));
    numbers[at] = place.relativeOffsetOfLocalHeader;
    numbers[at + 1] = place.compressedSize;
    numbers[at + 2] = place.uncompressedSize;
    numbers[at + 3] = (place.compressionMethod << 16) | place.generalPurposeBitFlag;
    numbers[at + 4] = place.fileNameLength;
    numbers[at + 5] = place.crc32;
    numbers[at + 6] = stated.length ?? Number.NaN;
    numbers[at + 7] = length ?? Number.NaN;
    numbers[at + 8] = modifiedMs ?? Number.NaN;
    at += numbersEach;
  }
  return { texts: texts.join(separator), isHidden, numbers };
}

export function unpackTask({ texts, isHidden, numbers }: PackedTask): UnpackingTask {
  const [file = '', parts = '', ...ofMembers] = texts.split(separator);
  const members: MemberToUnpack[] = [];
  for (let index = 0; index * 2 < ofMembers.length; index += 1) {
    const numberAt = (offset: number) => numbers[index * numbersEach + offset] ?? 0;
    const orNone = (value: number) => (Number.isNaN(value) ? undefined : value);
    const hashes = ofMembers[index * 2 + 1] ?? '';
    members.push({
      place: {
        relativeOffsetOfLocalHeader: numberAt(0),
        compressedSize: numberAt(1),
        uncompressedSize: numberAt(2),
        compressionMethod: numberAt(3) >>> 16,
        generalPurposeBitFlag: numberAt(3) & 0xffff,
        fileNameLength: numberAt(4),
        crc32: numberAt(5),
      },
      stated: { hashes: hashes === '' ? [] : hashes.split(' '), length: orNone(numberAt(6)) },
      length: orNone(numberAt(7)),
      file: ofMembers[index * 2] ?? '',
      modifiedMs: orNone(numberAt(8)),
    });
  }
  return { package: file, parts, isHidden, members };
}
