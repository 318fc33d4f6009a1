import { extname } from 'node:path';
import type { ThreadJob, Threads } from '../../core/threads.ts';
import { packTask } from './packed-task.ts';
import { type Unpacked, type UnpackingTask, unpack } from './unpack.ts';

const script = new URL(`./unpacking-thread${extname(import.meta.filename)}`, import.meta.url);
/** Fewer are not worth the way to a thread. */
const fewMembers = 32;

interface Waiting {
  resolve(done: readonly Unpacked[]): void;
  reject(error: unknown): void;
}

/** A thread takes a tenth of a second to start: it does while a package is on its way. */
export function startUnpackingThread(threads: Threads | undefined): void {
  threads?.begin(script, { answer: () => undefined, lost: () => undefined }).end();
}

/** Unpacks in a thread what is many, while this one goes on; what is few, or where there are no threads, at once. */
export class Unpacker {
  readonly #threads: Threads | undefined;
  #job: ThreadJob | undefined;
  /** For answers, in the order of what was sent. */
  readonly #waiting: Waiting[] = [];

  constructor(threads: Threads | undefined) {
    this.#threads = threads;
  }

  /** @throws what is wrong with neither the package nor a file */
  async unpack(task: UnpackingTask): Promise<readonly Unpacked[]> {
    if (this.#threads === undefined || task.members.length < fewMembers) return unpack(task);
    this.#job ??= this.#threads.begin(script, {
      answer: (answer) => this.#waiting.shift()?.resolve(JSON.parse(answer as string)),
      lost: (error) => {
        for (const { reject } of this.#waiting.splice(0)) reject(error);
      },
    });
    const job = this.#job;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      const packed = packTask(task);
      job.send(packed, [packed.numbers.buffer]);
    });
  }

  /** To be called when nothing is under way. */
  close(): void {
    this.#job?.end();
  }
}
