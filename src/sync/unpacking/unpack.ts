import { closeSync, openSync } from 'node:fs';
import { type MemberPlace, SmallMembers } from '../../resourcesync/packages/small-member.ts';
import {
  type ContentFacts,
  differenceFrom,
  factsOf,
  type StatedContent,
} from '../../resourcesync/reading/content-digest.ts';
import { NewFiles } from '../sinks/new-files.ts';

/** Small members of a package that become files of the copy. */
export interface UnpackingTask {
  /** The file. */
  readonly package: string;
  /** For files on their way, on the file system of the copy. */
  readonly parts: string;
  /** Nobody looks at the copy yet, and nothing lies where they go. */
  readonly isHidden: boolean;
  readonly members: readonly MemberToUnpack[];
}

export interface MemberToUnpack {
  readonly place: MemberPlace;
  /** By the newest statement. */
  readonly stated: StatedContent;
  /** By the manifest. */
  readonly length: number | undefined;
  /** Where it goes. */
  readonly file: string;
  /** Undefined: now. */
  readonly modifiedMs: number | undefined;
}

export type Unpacked =
  /** It was written, and its one stated hash is its SHA-256. */
  | 'as-stated'
  | ({ readonly kind: 'written' } & ContentFacts)
  /** It is not what is stated: its own address may have it right. */
  | { readonly kind: 'different' }
  /** The package is no good from here on. */
  | { readonly kind: 'damaged'; readonly reason: string }
  /** By the file system. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

/** @returns what came of each, in order; nothing behind one that is damaged */
export function unpack(task: UnpackingTask): readonly Unpacked[] {
  const descriptor = openSync(task.package, 'r');
  try {
    const members = new SmallMembers(descriptor);
    const put = putter(task);
    const done: Unpacked[] = [];
    for (const some of together(task.members)) {
      const contents = members.readSeveral(some.map(({ place }) => place));
      for (const [index, member] of some.entries()) {
        const unpacked = unpackOne(member, contents?.[index], members, put);
        done.push(unpacked);
        if (unpacked !== 'as-stated' && unpacked.kind === 'damaged') return done;
      }
    }
    return done;
  } finally {
    closeSync(descriptor);
  }
}

type Put = (file: string, bytes: Uint8Array, modifiedMs: number | undefined) => void;

function putter({ parts, isHidden }: UnpackingTask): Put {
  const files = new NewFiles(parts);
  if (isHidden) return files.make.bind(files);
  return (file, bytes, modifiedMs) => files.move(files.prepare(bytes, modifiedMs), file);
}

/** So many octets are decompressed at once. */
const octetsAtOnce = 1_048_576;

/** Those that follow on each other, in order. */
function* together(members: readonly MemberToUnpack[]): Generator<readonly MemberToUnpack[]> {
  let some: MemberToUnpack[] = [];
  let octets = 0;
  for (const member of members) {
    const { uncompressedSize } = member.place;
    if (some.length > 0 && octets + uncompressedSize > octetsAtOnce) {
      yield some;
      some = [];
      octets = 0;
    }
    some.push(member);
    octets += uncompressedSize;
  }
  if (some.length > 0) yield some;
}

/** @param content undefined: it is read by itself */
function unpackOne(
  { place, stated, length, file, modifiedMs }: MemberToUnpack,
  content: Uint8Array | undefined,
  members: SmallMembers,
  put: Put,
): Unpacked {
  let bytes: Uint8Array;
  try {
    bytes = content ?? members.read(place);
  } catch (error) {
    return { kind: 'damaged', reason: (error as Error).message };
  }
  const facts = factsOf(bytes, stated);
  const isOther =
    differenceFrom(stated, facts) !== undefined ||
    differenceFrom({ hashes: [], length }, facts) !== undefined;
  if (isOther) return { kind: 'different' };
  try {
    put(file, bytes, modifiedMs);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return { kind: 'refused', code, message };
  }
  const { sha256, otherHashes } = facts;
  if (stated.hashes.length === 1 && stated.hashes[0] === sha256) return 'as-stated';
  return { kind: 'written', sha256, otherHashes, length: facts.length };
}
