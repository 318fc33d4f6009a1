import cluster, { type Worker } from 'node:cluster';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../core/adapter.ts';
import { BridgeError, failure } from '../../core/errors.ts';
import type { ServerDeps } from '../../server/deps.ts';
import { processMetrics } from '../../server/operations/process-metrics.ts';
import type { Front } from '../answering.ts';
import { version } from '../version.ts';
import { type FromMember, memberVariable, type ProcessMetrics, type ToMember } from './messages.ts';

/** Processes that answer requests behind one port, started and kept by this one. */
export interface Crew extends Front {
  /** Each reads its configuration again. */
  reload(): void;
}

/** Whether this process may have others beside it: one that a process manager made a part of a cluster may not. */
export const mayHaveCrew = cluster.isPrimary;

export interface CrewSettings {
  readonly processes: number;
  readonly log: Log;
  /** A line of a log; each process writes its own, and only this one writes them on. */
  readonly write: (line: string) => void;
  readonly upstreamAnswers?: ServerDeps['upstreamAnswers'];
  /** Somebody has no patience any more. */
  readonly abort: AbortSignal;
}

/** From the end of a process to the start of the next in its place; doubled each time, at most the last. */
const [shortestRestMs, longestRestMs] = [1000, 60_000];
/** Answers under way have ten seconds, and the process a little more. */
const patienceMs = 15_000;
const metricsMs = 1000;

/**
 * Every process is the same command line again: `serve` finds out that it is one of them. They share the port, which this
 * process holds: it hands each connection to one of them in turn (on Windows the system does).
 * @throws BridgeError what keeps the first one from listening, such as `port-in-use`
 */
export async function startCrew({ abort, ...settings }: CrewSettings): Promise<Crew> {
  const { processes } = settings;
  const crew = new Members(settings);
  const onAbort = () => crew.kill();
  abort.addEventListener('abort', onAbort, { once: true });
  try {
    // One alone at first: what is wrong with the port is wrong for all.
    const address = await crew.start(1);
    const others = Array.from({ length: processes - 1 }, (_, index) => crew.start(index + 2));
    await Promise.all(others);
    return {
      address,
      reload: () => crew.tell({ kind: 'reload' }),
      close: async () => {
        await crew.close();
        abort.removeEventListener('abort', onAbort);
      },
    };
  } catch (error) {
    await crew.close();
    throw error;
  }
}

class Members {
  readonly #settings: Omit<CrewSettings, 'abort'>;
  readonly #members = new Map<number, Worker>();
  readonly #rests = new Map<number, number>();
  readonly #own: ReturnType<typeof processMetrics>;
  readonly #asked = new Map<number, (metrics: ProcessMetrics) => void>();
  readonly #closing = new AbortController();
  #ids = 0;

  constructor(settings: Omit<CrewSettings, 'abort'>) {
    this.#settings = settings;
    this.#own = processMetrics(version, { number: 0, upstreamAnswers: settings.upstreamAnswers });
    // Their output comes through us: lines of several processes would be torn by one another.
    cluster.setupPrimary({ silent: true });
  }

  start(number: number): Promise<AddressInfo> {
    const { processes, write } = this.#settings;
    const worker = cluster.fork({ [memberVariable]: `${number}/${processes}` });
    const startedAt = performance.now();
    this.#members.set(number, worker);
    const { stderr, stdout } = worker.process;
    stdout?.resume();
    if (stderr) createInterface({ input: stderr }).on('line', (line) => write(`${line}\n`));
    let isListening = false;
    // One that is gone, or going, is not told any more.
    worker.on('error', () => undefined);
    return new Promise((resolve, reject) => {
      worker.on('message', (message: FromMember) => {
        if (message.kind === 'listening') {
          isListening = true;
          resolve(message.address);
        } else if (message.kind === 'failed') reject(asError(message));
        else if (message.kind === 'gather') void this.#answer(worker, message.id);
        else if (message.kind === 'metrics') this.#asked.get(message.id)?.(message.metrics);
      });
      worker.once('exit', (code, signal) => {
        this.#members.delete(number);
        reject(new Error(`a process that answers requests ended with ${signal ?? code}`));
        if (isListening) this.#startAgain(number, { code, signal, livedMs: performance.now() - startedAt });
      });
    });
  }

  #startAgain(number: number, { livedMs, ...how }: { code: number; signal: string; livedMs: number }): void {
    // A service manager may tell all processes to stop, and this one hears it last.
    if (this.#closing.signal.aborted) return;
    const before = livedMs > longestRestMs ? 0 : (this.#rests.get(number) ?? 0);
    const restMs = Math.min(longestRestMs, Math.max(shortestRestMs, before * 2));
    this.#rests.set(number, restMs);
    const { log } = this.#settings;
    const { signal } = this.#closing;
    pause(restMs, undefined, { signal }).then(
      () => {
        log.error({ process: number, ...how }, 'a process that answers requests ended, and is started again');
        this.start(number).catch((error: unknown) => {
          log.error({ process: number, ...failure(error) }, 'a process that answers requests does not start');
          this.#startAgain(number, { ...how, livedMs: 0 });
        });
      },
      () => undefined,
    );
  }

  /** What each says of itself; one that is busy or gone is left out. */
  async #answer(worker: Worker, id: number): Promise<void> {
    const all = await Promise.all([...this.#members.values()].map((member) => this.#ask(member)));
    const own = await this.#own.getMetricsAsJSON();
    send(worker, { kind: 'gathered', id, metrics: [own, ...all.filter((one) => one !== undefined)] });
  }

  async #ask(member: Worker): Promise<ProcessMetrics | undefined> {
    this.#ids += 1;
    const id = this.#ids;
    try {
      return await new Promise((resolve) => {
        const late = setTimeout(() => resolve(undefined), metricsMs);
        this.#asked.set(id, (metrics) => {
          clearTimeout(late);
          resolve(metrics);
        });
        send(member, { kind: 'tell', id });
      });
    } finally {
      this.#asked.delete(id);
    }
  }

  tell(message: ToMember): void {
    for (const member of this.#members.values()) send(member, message);
  }

  kill(): void {
    for (const member of this.#members.values()) member.process.kill('SIGKILL');
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#own.clear();
    const ended = [...this.#members.values()].map(
      (member) => new Promise<void>((resolve) => member.once('exit', () => resolve())),
    );
    this.tell({ kind: 'stop' });
    const late = setTimeout(() => this.kill(), patienceMs);
    await Promise.all(ended);
    clearTimeout(late);
  }
}

function send(member: Worker, message: ToMember): void {
  if (member.isConnected()) member.send(message, () => undefined);
}

function asError({ code, message }: Extract<FromMember, { kind: 'failed' }>): Error {
  return code === undefined ? new Error(message) : new BridgeError(code, message);
}
