import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../../store/engine/database.ts';
import { saveRemoteFiles } from '../../../store/files/remote-file-writing.ts';
import type { RemoteFile } from '../../../store/files/remote-files.ts';
import { adoptContents } from '../../../store/payloads/adopted-contents.ts';
import type { ReadyContent } from '../../../store/payloads/content-files.ts';
import { type PartialFile, removePartial } from './partial-file.ts';

/** What is to be written of one file. */
export interface MirrorResult {
  readonly file: RemoteFile;
  /** Downloaded, complete and verified. */
  readonly content?: ReadyContent | undefined;
  /** Resolves when it is safe on the disk. */
  readonly synced?: Promise<void> | undefined;
  readonly partial?: PartialFile | undefined;
}

/**
 * Writes results in the order in which they come, many at a time: a transaction and a sync of directories for each
 * would take longer than its download. Contents come before what says that they are there.
 */
export interface MirrorCommit {
  add(result: MirrorResult): void;
  /** Nobody is on the way who could be waited for. */
  hurry(): void;
  /** Results that are still to be written. */
  readonly pending: number;
  /** Writing has failed, and has ended with that. */
  readonly isBroken: boolean;
  /** @throws what writing has thrown */
  settled(): Promise<void>;
}

/** They lie in 256 directories, each of which is synced: few at a time would sync as many directories as files. */
const atATime = 512;
/** So long a result waits for others; a kill makes them be downloaded again. */
const gatheringMs = 500;

/** @param written is told after each transaction */
export function createMirrorCommit(
  database: Database,
  directory: string,
  sourceId: number,
  written: (results: readonly MirrorResult[]) => void,
): MirrorCommit {
  const queue: MirrorResult[] = [];
  let writing: Promise<void> | undefined;
  let underWay = 0;
  let gathering = new AbortController();
  let failure: { readonly error: unknown } | undefined;

  async function writeAll(): Promise<void> {
    while (queue.length > 0 && !failure) {
      if (queue.length < atATime) {
        gathering = new AbortController();
        await sleep(gatheringMs, undefined, { signal: gathering.signal }).catch(() => undefined);
      }
      const results = queue.splice(0, atATime);
      underWay = results.length;
      try {
        await write(results);
      } catch (error) {
        failure = { error };
      }
      underWay = 0;
      written(failure ? [] : results);
    }
    writing = undefined;
  }

  async function write(results: readonly MirrorResult[]): Promise<void> {
    await Promise.all(results.map(({ synced }) => synced));
    const contents = results.flatMap(({ content }) => content ?? []);
    if (contents.length > 0) await adoptContents(database, directory, contents);
    await saveRemoteFiles(
      database,
      sourceId,
      results.map(({ file }) => file),
    );
    await Promise.all(results.map(({ partial }) => partial && removePartial(partial)));
  }

  return {
    add(result) {
      if (failure) return;
      queue.push(result);
      writing ??= writeAll();
      if (queue.length >= atATime) gathering.abort();
    },
    hurry() {
      gathering.abort();
    },
    get pending() {
      return failure ? 0 : queue.length + underWay;
    },
    get isBroken() {
      return failure !== undefined;
    },
    async settled() {
      while (writing) await writing;
      if (failure) throw failure.error;
    },
  };
}
