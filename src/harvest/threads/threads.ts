import { setFlagsFromString } from 'node:v8';
import type { Worker } from 'node:worker_threads';
import type { Log } from '../../core/adapter.ts';
import { BridgeError, failure } from '../../core/errors.ts';
import {
  isReady,
  type ThreadJob,
  type ThreadListener,
  type ThreadMessage,
  type Threads,
} from '../../core/threads.ts';
import { startThread } from './start-thread.ts';

export interface OwnThreads extends Threads {
  /** Whatever is under way there is lost. */
  close(): Promise<void>;
}

/** In MB: a record of 16 MB that needs repair takes about half of it. */
const ownMemory = { oldGeneration: 192, youngGeneration: 24 };
/**
 * A process with threads may take half as much again as one without (docs/performance.md), and its own heap a part of
 * that: what it keeps is looked through half as often. Not where somebody has said how often.
 */
export const growth = { ofLauncher: '--heap-growing-percent=40', withThreads: '--heap-growing-percent=60' };
/** A thread without work takes memory for nothing. */
const idleMs = 20_000;

/**
 * Threads begin with the first job, end some time after the last one, and keep no process alive that has none. One that
 * fails, or needs more memory than it may have, ends with its jobs; the process and the other threads go on.
 * @param most of one script
 * @param memory that each may take, in MB
 */
export function createThreads(most: number, log: Log, memory = ownMemory): OwnThreads {
  if (process.execArgv.includes(growth.ofLauncher)) setFlagsFromString(growth.withThreads);
  const threads = new Set<Thread>();
  let closed = false;
  const failed = new Set<string>();
  const deps: ThreadDeps = {
    log,
    memory,
    ended: (thread) => threads.delete(thread),
    failed: ({ script }) => failed.add(script),
  };
  const threadsOf = ({ href }: URL) =>
    [...threads]
      .filter(({ script }) => script === href)
      .sort((one, other) => Number(other.isReady) - Number(one.isReady) || one.busy - other.busy);
  const start = (script: URL) => {
    const thread = new Thread(script, deps);
    threads.add(thread);
    return thread;
  };
  return {
    begin(script, hear) {
      if (closed) throw new BridgeError('interrupted', 'the threads were stopped');
      const its = threadsOf(script);
      const [best] = its;
      if (best !== undefined && (best.busy === 0 || its.length >= most)) return best.begin(hear);
      const another = start(script);
      // Nobody waits for a thread to start whom another one can hear.
      return (best?.isReady === true ? best : another).begin(hear);
    },
    isReady(script) {
      const [best] = threadsOf(script);
      if (best === undefined && !closed) start(script);
      // What has ended one of them is not to be met by the whole process.
      return best?.isReady === true || closed || failed.has(script.href);
    },
    close: async () => {
      closed = true;
      await Promise.all([...threads].map((thread) => thread.close()));
    },
  };
}

interface ThreadDeps {
  readonly log: Log;
  readonly memory: typeof ownMemory;
  readonly ended: (thread: Thread) => void;
  /** By what it was given to do. */
  readonly failed: (thread: Thread) => void;
}

class Thread {
  readonly script: string;
  readonly #worker: Worker;
  readonly #listeners = new Map<number, ThreadListener>();
  readonly #deps: ThreadDeps;
  #jobs = isReady.job;
  #isReady = false;
  #failure: unknown;
  #idle: NodeJS.Timeout | undefined;

  constructor(script: URL, deps: ThreadDeps) {
    const { oldGeneration, youngGeneration } = deps.memory;
    this.script = script.href;
    this.#deps = deps;
    this.#worker = startThread(script, {
      resourceLimits: { maxOldGenerationSizeMb: oldGeneration, maxYoungGenerationSizeMb: youngGeneration },
      stderr: true,
    });
    this.#worker.on('message', ({ job, what }: ThreadMessage) => {
      if (job === isReady.job) this.#isReady = true;
      else this.#listeners.get(job)?.answer(what);
    });
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', (code) => this.#end(new Error(`a thread that reads answers ended with ${code}`)));
    // Warnings of Node, in plain text.
    this.#worker.stderr.on('data', (text: Buffer) =>
      this.#deps.log.warn({ reason: text.toString().trim() }, 'a warning from a thread'),
    );
    this.#rest();
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  get busy(): number {
    return this.#listeners.size;
  }

  begin(hear: ThreadListener): ThreadJob {
    this.#jobs += 1;
    const job = this.#jobs;
    clearTimeout(this.#idle);
    if (this.#listeners.size === 0) this.#worker.ref();
    this.#listeners.set(job, hear);
    return {
      send: (what, handedOver = []) => {
        if (this.#failure === undefined) this.#worker.postMessage({ job, what }, handedOver);
      },
      end: () => this.#forget(job),
    };
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    this.#end(new BridgeError('interrupted', 'the threads were stopped'));
    await this.#worker.terminate();
  }

  #forget(job: number): void {
    if (!this.#listeners.delete(job) || this.#listeners.size > 0 || this.#failure !== undefined) return;
    this.#rest();
  }

  #rest(): void {
    this.#worker.unref();
    this.#idle = setTimeout(() => void this.close(), idleMs).unref();
  }

  #fail(error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#deps.failed(this);
    const isMemory = (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY';
    const reason = isMemory
      ? new BridgeError(
          'out-of-memory',
          `reading took more than the ${this.#deps.memory.oldGeneration} MB of a thread`,
          {
            retryable: true,
            cause: error,
          },
        )
      : error;
    const stack = error instanceof Error ? error.stack : undefined;
    this.#deps.log.error({ ...failure(reason), ...(isMemory ? {} : { stack }) }, 'a thread ended');
    this.#end(reason);
  }

  #end(reason: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = reason;
    this.#deps.ended(this);
    const listeners = [...this.#listeners.values()];
    this.#listeners.clear();
    for (const { lost } of listeners) lost(reason);
  }
}
