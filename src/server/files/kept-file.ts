import { type FileHandle, open } from 'node:fs/promises';
import { pipeline, Readable, Transform } from 'node:stream';
import { crc32 } from 'node:zlib';
import { BridgeError, isBridgeError } from '../../core/errors.ts';
import { translate } from '../../store/engine/storage-error.ts';

export interface KeptFile {
  readonly file: string;
  /** Named when something is wrong. */
  readonly path: string;
  readonly length: number;
  readonly crc: number;
  /** Told when it is not what it should be. @param ino of the file that was read, if there is one */
  readonly onDamage: (ino?: number) => void;
}

const chunkBytes = 262_144;

/**
 * Bytes of a content that is kept as a file, from `start` up to, not including, `end`. The whole is checked on its
 * way: what is damaged never reaches its end.
 * @throws BridgeError `content-damaged` when it is missing or has another length
 */
export async function openKeptFile(kept: KeptFile, start: number, end: number): Promise<Readable> {
  const { handle, ino } = await openFile(kept);
  if (end <= start) {
    await handle.close();
    return Readable.from([]);
  }
  const bytes = handle.createReadStream({ start, end: end - 1, highWaterMark: chunkBytes });
  if (start > 0 || end < kept.length) return bytes;
  // Whoever reads it is told of its end by the stream itself.
  return pipeline(bytes, createCheck(kept, ino), () => undefined);
}

interface OpenFile {
  readonly handle: FileHandle;
  readonly ino: number;
}

async function openFile({ file, path, length, onDamage }: KeptFile): Promise<OpenFile> {
  let handle: FileHandle;
  try {
    handle = await open(file, 'r');
  } catch (cause) {
    // That there is no descriptor left says nothing of the file.
    const known = translate(cause);
    if (known !== cause && !isBridgeError(known, 'storage')) throw known;
    onDamage();
    throw new BridgeError('content-damaged', `the content of ${path} cannot be opened`, { cause });
  }
  const found = await handle.stat();
  if (found.isFile() && found.size === length) return { handle, ino: found.ino };
  await handle.close();
  onDamage(found.ino);
  throw new BridgeError('content-damaged', `the content of ${path} is not complete`);
}

/** The last octets are passed on only when everything up to them is as it was stored. */
export function createCheck(
  { path, length, crc, onDamage }: Omit<KeptFile, 'file'>,
  ino?: number,
): Transform {
  let [seen, sum] = [0, 0];
  const damaged = () => {
    onDamage(ino);
    return new BridgeError('content-damaged', `the content of ${path} is damaged`);
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.byteLength;
      sum = crc32(chunk, sum);
      if (seen >= length && sum !== crc) done(damaged());
      else done(null, chunk);
    },
    flush(done) {
      done(seen === length ? null : damaged());
    },
  });
}
