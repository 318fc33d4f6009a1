import type { Socket } from 'node:net';
import { AnswerReader, type WholeAnswer } from './answer-reader.ts';

/** A request that waits for its answer. */
export interface Asked {
  /** As it is sent. */
  readonly request: string;
  /** @param answer undefined: there is none that is usual */
  readonly heard: (answer: WholeAnswer | undefined) => void;
}

export interface PipelineSettings {
  readonly longestBody: number;
  /** Of silence while an answer is awaited, and for one answer in all. */
  readonly timeoutMs: number;
  readonly longestMs: number;
  readonly heard: (asked: Asked, answer: WholeAnswer) => void;
  /** Told once: the connection is gone, and what it left unanswered. `isOdd`: for what it answered, or did not. */
  readonly ended: (left: readonly Asked[], isOdd: boolean) => void;
}

/** While more are on their way than these, others are gathered: what is sent together takes both sides less. */
const mostOnTheWay = 4;
/** A connection that nobody uses is kept so long. */
const idleMs = 10_000;

/** One connection, on which requests are sent before those ahead of them are answered (RFC 9112 §9.3.2). */
export class Pipeline {
  readonly #socket: Socket;
  readonly #settings: PipelineSettings;
  readonly #reader: AnswerReader;
  readonly #asked: Asked[] = [];
  #toSend = '';
  #gathered = 0;
  #isSending = false;
  /** When the first of them had its turn. */
  #since = 0;
  #isOver = false;

  constructor(socket: Socket, settings: PipelineSettings) {
    this.#socket = socket;
    this.#settings = settings;
    this.#reader = new AnswerReader(settings.longestBody);
    socket.on('data', (chunk: Buffer) => this.#came(chunk));
    socket.on('timeout', () => this.#end(this.#asked.length > 0));
    socket.on('error', () => this.#end(false));
    socket.on('close', () => this.#end(false));
    socket.on('end', () => this.#end(this.#reader.isMidway));
    socket.setTimeout(idleMs);
  }

  get waiting(): number {
    return this.#asked.length;
  }

  /** All that is asked in one turn is sent together, and with what was gathered before. */
  ask(asked: Asked): void {
    if (this.#asked.length === 0) {
      this.#since = performance.now();
      this.#socket.setTimeout(this.#settings.timeoutMs);
    }
    this.#asked.push(asked);
    this.#toSend += asked.request;
    this.#gathered += 1;
    this.#sendSoon();
  }

  close(): void {
    this.#end(false);
  }

  #sendSoon(): void {
    if (this.#isSending || this.#gathered === 0 || this.#asked.length - this.#gathered > mostOnTheWay) return;
    this.#isSending = true;
    process.nextTick(this.#send);
  }

  readonly #send = () => {
    const text = this.#toSend;
    this.#toSend = '';
    this.#gathered = 0;
    this.#isSending = false;
    if (!this.#isOver) this.#socket.write(text, 'latin1');
  };

  #came(chunk: Buffer): void {
    // Some servers say so when nobody has asked them for long.
    if (this.#asked.length === 0) this.#end(false);
    if (this.#isOver) return;
    const now = performance.now();
    for (const answer of this.#reader.take(chunk)) {
      const asked = answer === 'odd' ? undefined : this.#asked.shift();
      if (answer === 'odd' || asked === undefined) {
        // What nobody has asked for is odd as well.
        this.#end(true);
        return;
      }
      this.#since = now;
      this.#settings.heard(asked, answer);
      // It answers no more of them.
      if (/\bclose\b/i.test(answer.headers.connection ?? '')) this.#end(false);
      if (this.#isOver) return;
    }
    this.#sendSoon();
    if (this.#asked.length === 0) this.#socket.setTimeout(idleMs);
    else if (now - this.#since > this.#settings.longestMs) this.#end(true);
  }

  #end(isOdd: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#socket.destroy();
    this.#settings.ended(this.#asked.splice(0), isOdd);
  }
}
