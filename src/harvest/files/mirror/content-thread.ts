import { extname } from 'node:path';
import { startThread } from '../../threads/start-thread.ts';

const script = new URL(`./content-thread-worker${extname(import.meta.filename)}`, import.meta.url);

/** What is to be done with a file; all that is given, in this order. */
export interface ThreadTask {
  readonly task: number;
  readonly file: number;
  /** `start`: octets that lie there and belong to it; 0 empties it. `stated`: the hash to compare with. */
  readonly open?: { readonly path: string; readonly start: number; readonly stated: string | undefined };
  /** Behind what is there; in shared memory, or it is copied. */
  readonly bytes?: Uint8Array;
  /** That was all; the number of the task under which it is said that it is safe on the disk. */
  readonly finish?: number;
  /** It is not complete, and left as it is. */
  readonly leave?: boolean;
}

export interface ThreadAnswer {
  readonly task: number;
  readonly result?: { readonly length: number } | FinishedFile | undefined;
  readonly error?: { readonly code: string | undefined; readonly message: string };
}

export interface FinishedFile {
  readonly length: number;
  readonly crc: number;
  readonly hash: string;
  readonly isAsStated: boolean;
}

interface Waiting {
  resolve(result: ThreadAnswer['result']): void;
  reject(error: Error): void;
}

/** As many as there are cores to keep busy beside the one for the network; the disk makes them wait, too. */
const threadsAtMost = 2;
/** Another thread takes 20 MB: small files do not keep one busy enough to begin it. */
const busyBytes = 262_144;
const threads: Thread[] = [];
let lastNumber = 0;

/**
 * A file that is hashed and written by another thread: what takes longest of a download goes on beside
 * the network. The threads begin with the first files, and keep no process alive that waits for nothing.
 */
export class ThreadFile {
  readonly #thread = leastBusy();
  readonly #number = number();
  #open: ThreadTask['open'];
  #isOpen = false;

  /** @param start octets that lie there already and belong to it; 0: it is emptied */
  constructor(path: string, start: number, stated: string | undefined) {
    this.#open = { path, start, stated };
  }

  /**
   * It need not be called where `write` or `finish` is.
   * @returns octets that lie there
   * @throws errors of the disk, with their `code`
   */
  async open(): Promise<number> {
    return (await this.#do({}))?.length ?? 0;
  }

  /** @param bytes are not to be changed before it resolves */
  async write(bytes: Uint8Array): Promise<void> {
    await this.#do({ bytes });
  }

  /** @returns what is known of all of it, and what resolves when it is safe on the disk */
  async finish(bytes?: Uint8Array): Promise<FinishedFile & { readonly synced: Promise<void> }> {
    const finish = number();
    const synced = this.#thread.answerTo(finish).then(() => undefined);
    // Whoever asks for it gets to know; nobody may.
    synced.catch(() => undefined);
    try {
      const result = (await this.#do({ ...(bytes ? { bytes } : {}), finish })) as FinishedFile;
      return { ...result, synced };
    } catch (error) {
      this.#thread.forget(finish);
      throw error;
    }
  }

  async leave(): Promise<void> {
    if (this.#isOpen) await this.#do({ leave: true });
  }

  #do(what: Omit<ThreadTask, 'task' | 'file' | 'open'>): Promise<ThreadAnswer['result']> {
    const open = this.#open;
    this.#open = undefined;
    this.#isOpen = !what.leave && what.finish === undefined;
    const task = number();
    return this.#thread.do({ task, file: this.#number, ...(open ? { open } : {}), ...what });
  }
}

function number(): number {
  lastNumber += 1;
  return lastNumber;
}

function leastBusy(): Thread {
  const [least] = threads.toSorted((one, other) => one.busy - other.busy);
  if (least && (least.owedBytes < busyBytes || threads.length >= threadsAtMost)) return least;
  const thread = new Thread();
  threads.push(thread);
  return thread;
}

class Thread {
  readonly #worker = startThread(script, { resourceLimits: { maxYoungGenerationSizeMb: 2 } });
  readonly #waiting = new Map<number, Waiting>();
  #failure: Error | undefined;
  /** That it was given and has not answered. */
  owedBytes = 0;

  constructor() {
    this.#worker.on('message', (answer: ThreadAnswer) => this.#take(answer));
    this.#worker.on('error', (error) => this.#end(error));
    this.#worker.on('exit', (code) =>
      this.#end(new Error(`the thread that writes contents ended with ${code}`)),
    );
    this.#worker.unref();
  }

  /** Answers that it owes. */
  get busy(): number {
    return this.#waiting.size;
  }

  answerTo(task: number): Promise<ThreadAnswer['result']> {
    return new Promise((resolve, reject) => {
      if (this.#failure) return reject(this.#failure);
      if (this.#waiting.size === 0) this.#worker.ref();
      this.#waiting.set(task, { resolve, reject });
    });
  }

  do(task: ThreadTask): Promise<ThreadAnswer['result']> {
    const answer = this.answerTo(task.task);
    const bytes = task.bytes?.byteLength ?? 0;
    this.owedBytes += bytes;
    this.#worker.postMessage(task);
    return answer.finally(() => {
      this.owedBytes -= bytes;
    });
  }

  forget(task: number): void {
    this.#waiting.delete(task);
    if (this.#waiting.size === 0) this.#worker.unref();
  }

  #take({ task, result, error }: ThreadAnswer): void {
    const its = this.#waiting.get(task);
    this.forget(task);
    if (error) its?.reject(Object.assign(new Error(error.message), { code: error.code }));
    else its?.resolve(result);
  }

  /** The next file gets another one. */
  #end(error: Error): void {
    if (this.#failure) return;
    this.#failure = error;
    threads.splice(threads.indexOf(this), 1);
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
