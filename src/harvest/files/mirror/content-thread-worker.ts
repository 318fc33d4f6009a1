import { close, closeSync, fdatasync, openSync, readSync, writeSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { ContentDigest } from './content-digest.ts';
import type { ThreadAnswer, ThreadTask } from './content-thread.ts';

/** The other end of `content-thread.ts`: writes one chunk after the other, and syncs beside that. */
interface OpenFile {
  readonly descriptor: number;
  readonly digest: ContentDigest;
}

const files = new Map<number, OpenFile>();
const readBytes = 1_048_576;
/** So much stays in the cache of the core until it has been hashed, summed and written. */
const sliceBytes = 131_072;

parentPort?.on('message', (task: ThreadTask) => {
  try {
    answer({ task: task.task, result: work(task) });
  } catch (error) {
    answer({ task: task.task, error: plain(error) });
  }
});

function work({ file, open, bytes, finish, leave }: ThreadTask): ThreadAnswer['result'] {
  if (open) files.set(file, opened(open));
  const its = files.get(file);
  if (!its) return undefined;
  if (bytes) {
    for (let start = 0; start < bytes.byteLength; start += sliceBytes)
      append(its, bytes.subarray(start, start + sliceBytes));
  }
  if (leave) {
    files.delete(file);
    closeSync(its.descriptor);
  }
  if (finish === undefined) return { length: its.digest.length };
  files.delete(file);
  fdatasync(its.descriptor, (failure) =>
    close(its.descriptor, (closing) => {
      const error = failure ?? closing;
      answer({ task: finish, ...(error ? { error: plain(error) } : {}) });
    }),
  );
  return { length: its.digest.length, crc: its.digest.crc, ...its.digest.finish() };
}

function append({ descriptor, digest }: OpenFile, bytes: Uint8Array): void {
  const position = digest.length;
  digest.update(bytes);
  for (let done = 0; done < bytes.byteLength; )
    done += writeSync(descriptor, bytes, done, bytes.byteLength - done, position + done);
}

function opened({ path, start, stated }: NonNullable<ThreadTask['open']>): OpenFile {
  const digest = new ContentDigest(stated);
  if (start === 0) return { descriptor: openSync(path, 'w'), digest };
  const descriptor = openSync(path, 'r+');
  const buffer = Buffer.allocUnsafeSlow(readBytes);
  for (;;) {
    const came = readSync(descriptor, buffer, 0, readBytes, digest.length);
    if (came === 0) return { descriptor, digest };
    digest.update(buffer.subarray(0, came));
  }
}

function answer(what: ThreadAnswer): void {
  parentPort?.postMessage(what);
}

/** Errors of the disk lose their code on the way between threads. */
function plain(error: unknown): NonNullable<ThreadAnswer['error']> {
  const { code, message } = error as NodeJS.ErrnoException;
  return { code, message };
}
