import { countOf } from '../../core/count-of.ts';
import { eitherOf } from '../../core/either-signal.ts';
import { BridgeError } from '../../core/errors.ts';
import { movePublication } from '../../publish/sets/moved-publication.ts';
import { type Moved, moveContents, removeFormerFiles } from '../../store/moves/moved-contents.ts';
import { type MovedPayloads, movePayloads } from '../../store/moves/moved-payloads.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { createProgress } from '../terminal/progress.ts';
import { withBridge } from '../terminal/with-bridge.ts';

export interface StorageFlags {
  readonly config?: string;
  readonly json: boolean;
}

/** Whoever has just read where a content is has opened it by then. */
const graceMs = 60_000;

/** Moves mirrored files, payloads, documents and packages to where `storage` says that they are to be. */
export async function migrateStorageCommand(flags: StorageFlags, given: CommandIo): Promise<number> {
  const progress = createProgress(given, flags);
  const { io } = progress;
  const signal = eitherOf(io.stop, io.abort);
  try {
    return await withBridge(flags, io, 'warnings', async ({ config, database, clock, objects }) => {
      const { directory, storage } = config;
      const to = storage.files;
      if (!objects)
        throw new BridgeError(
          'config-invalid',
          'storage.s3 is missing; it says from where, or to where, files, payloads and documents are moved',
        );
      let [bytes, payloadBytes] = [0, 0];
      const onMoved = (more: number) => {
        bytes += more;
        progress.show('moved', { label: 'files', done: bytes, noun: 'byte', deed: 'moved' });
      };
      const moved = await moveContents({ database, directory, to, signal, onMoved });
      let removed = 0;
      if (to === 's3') {
        if (moved.contents > 0) await clock.sleep(graceMs, signal);
        removed = await removeFormerFiles({ database, directory, signal });
      }
      const payloads = await movePayloads({
        ...{ database, directory, signal },
        onMoved: (more) => {
          payloadBytes += more;
          progress.show('payloads', { label: 'payloads', done: payloadBytes, noun: 'byte', deed: 'moved' });
        },
      });
      let files = 0;
      const published = await movePublication(directory, {
        clock,
        signal,
        onMoved: (more) => {
          files += more;
          progress.show('published', { label: 'documents', done: files, noun: 'file', deed: 'moved' });
        },
      });
      const place = to === 's3' ? objects.place : directory;
      const documents = published > 0 ? `; ${countOf(published, 'published file')} moved` : '';
      const home = storage.payloads === 's3' ? objects.place : 'the database';
      const result = { to, ...moved, removed, payloads: { to: storage.payloads, ...payloads }, published };
      const text = `${describe(moved, place, removed)}${describePayloads(payloads, home)}${documents}`;
      printResult(io, flags.json, result, text);
      const isSound = moved.damaged.length + payloads.damaged.length === 0;
      return isSound ? exitCodes.ok : exitCodes.storage;
    });
  } catch (error) {
    if (!signal.aborted) throw error;
    const message = 'stopped as asked; the same command moves the rest, and all files are served meanwhile';
    throw new BridgeError('interrupted', message, { cause: error });
  } finally {
    progress.end();
  }
}

function describePayloads({ payloads, bytes, damaged }: MovedPayloads, place: string): string {
  const what = `; ${countOf(payloads, 'payload')} (${countOf(bytes, 'byte')}) moved to ${place}`;
  const left = `; ${countOf(damaged.length, 'payload')} left, being damaged: rsbridge check --blobs says whose`;
  return `${payloads > 0 ? what : ''}${damaged.length > 0 ? left : ''}`;
}

function describe({ contents, bytes, damaged }: Moved, place: string, removed: number): string {
  const what = `${countOf(contents, 'file')} (${countOf(bytes, 'byte')}) moved to ${place}`;
  const copies = removed > 0 ? `; ${countOf(removed, 'former copy')} removed from the disk` : '';
  const left = `; ${countOf(damaged.length, 'file')} left where they are, for they are damaged: rsbridge check --blobs says whose`;
  return `${what}${copies}${damaged.length > 0 ? left : ''}`;
}
