import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import type { LoadRequest } from './load.ts';

export interface PacedSettings {
  readonly connections: number;
  readonly requests: readonly LoadRequest[];
  readonly seconds: number;
  /** A second, evenly. */
  readonly rate: number;
  /** The status of each answer; 200 unless said. */
  readonly expect?: number;
}

export interface PacedResult {
  readonly total: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** What the client took of one processor: near 1 it is the client that is measured. */
  readonly client: number;
  /** The longest time that the client itself stood still, in milliseconds: answers that came meanwhile are slow by as much. */
  readonly clientPause: number;
}

/**
 * Requests that come evenly, whatever the answers take. autocannon sends what is due within a second in its first part
 * and rests until the next, so that its percentiles are those of a full load; a client of `node:http` takes longer for a
 * request than the server does, and falls behind. Requests are written down before, and of an answer its status and its
 * length are read alone. Times are in milliseconds, from when a request was due until its answer has ended.
 * @throws Error for an answer other than expected, or without a `Content-Length`
 */
export async function pacedLoad(
  port: number,
  { connections, requests, seconds, rate, expect = 200 }: PacedSettings,
): Promise<PacedResult> {
  const texts = requests.map((request) => toText(port, request));
  const total = Math.floor(rate * seconds);
  const times: number[] = [];
  let failure: Error | undefined;
  const open = Array.from(
    { length: connections },
    () =>
      new Connection(port, expect, (error) => {
        failure ??= error;
      }),
  );
  await Promise.all(open.map(({ ready }) => ready));
  const idle = [...open];
  const processor = process.cpuUsage();
  const began = performance.now();
  let sent = 0;
  const dueAt = (number: number) => began + (number / rate) * 1000;
  const sendDue = () => {
    while (sent < total && dueAt(sent) <= performance.now()) {
      const connection = idle.pop();
      if (!connection) return;
      const due = dueAt(sent);
      const text = texts[sent % texts.length] ?? '';
      sent += 1;
      connection.ask(text, () => {
        times.push(performance.now() - due);
        idle.push(connection);
        sendDue();
      });
    }
  };
  let [looked, clientPause] = [began, 0];
  while (times.length < total) {
    sendDue();
    await setTimeout(1);
    if (failure) throw failure;
    const now = performance.now();
    clientPause = Math.max(clientPause, now - looked);
    looked = now;
  }
  const elapsed = performance.now() - began;
  const { user, system } = process.cpuUsage(processor);
  for (const connection of open) connection.end();
  times.sort((a, b) => a - b);
  const at = (share: number) => Number((times[Math.floor(times.length * share)] ?? 0).toFixed(1));
  return {
    ...{ total: times.length, perSecond: Math.round(times.length / (elapsed / 1000)) },
    ...{ p50: at(0.5), p99: at(0.99), client: Number(((user + system) / 1000 / elapsed).toFixed(2)) },
    clientPause: Number(clientPause.toFixed(1)),
  };
}

function toText(port: number, { path, headers }: LoadRequest): string {
  const fields = Object.entries({ host: `127.0.0.1:${port}`, ...headers });
  return `GET ${path} HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

/** One request at a time. */
class Connection {
  readonly ready: Promise<void>;
  readonly #socket: Socket;
  readonly #expected: string;
  readonly #fail: (error: Error) => void;
  #answered: (() => void) | undefined;
  #head = '';
  /** Octets of the body that are to come; undefined: its head is. */
  #left: number | undefined;

  constructor(port: number, expect: number, fail: (error: Error) => void) {
    this.#socket = connect({ host: '127.0.0.1', port, noDelay: true });
    this.#expected = `HTTP/1.1 ${expect} `;
    this.#fail = fail;
    this.ready = once(this.#socket, 'connect').then(() => undefined);
    this.#socket.on('data', (chunk) => this.#read(chunk as Buffer));
    this.#socket.on('error', fail);
    this.#socket.on(
      'close',
      () => this.#answered && fail(new Error('a connection was closed before its answer')),
    );
  }

  ask(text: string, answered: () => void): void {
    this.#answered = answered;
    this.#socket.write(text, 'latin1');
  }

  end(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    let body = chunk.byteLength;
    if (this.#left === undefined) {
      this.#head += chunk.toString('latin1');
      const end = this.#head.indexOf('\r\n\r\n');
      if (end < 0) return;
      body = this.#head.length - end - 4;
      const [, length] = /\r\ncontent-length: (\d+)\r\n/i.exec(this.#head.slice(0, end + 2)) ?? [];
      if (!this.#head.startsWith(this.#expected) || length === undefined) {
        this.#fail(new Error(`an answer other than expected: ${this.#head.slice(0, end)}`));
        return;
      }
      this.#left = Number(length);
      this.#head = '';
    }
    this.#left -= body;
    if (this.#left > 0) return;
    this.#left = undefined;
    const answered = this.#answered;
    this.#answered = undefined;
    answered?.();
  }
}
