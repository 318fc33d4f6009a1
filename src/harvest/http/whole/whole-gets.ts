import type { Socket } from 'node:net';
import type { HttpResponse } from '../../../core/adapter.ts';
import type { WholeAnswer } from './answer-reader.ts';
import { type Asked, Pipeline } from './pipeline.ts';

export interface WholeOptions {
  /** Whatever is under way is left, and nothing more asked. */
  readonly signal: AbortSignal;
  /** Beside those that every request has. */
  readonly headers: Readonly<Record<string, string>>;
  /** In octets. */
  readonly longestBody: number;
  /**
   * How many requests a server may be sent on a connection before it has answered, by what it calls itself; 1: each when
   * the one before it is answered.
   */
  readonly ahead: (server: string | undefined) => number;
}

export interface WholeDeps {
  readonly origin: URL;
  /** Connects where that may be. */
  readonly connect: () => Promise<Socket>;
  /** Waits for a place at the host; to be called when nothing is asked any more. */
  readonly enter: () => Promise<() => void>;
  /** How many there are: each has a connection. */
  readonly places: number;
  /** Whether the host is to be left alone. */
  readonly isResting: () => boolean;
  /** In milliseconds since the epoch. */
  readonly now: () => number;
  readonly headers: Readonly<Record<string, string>>;
  /** As in `PipelineSettings`. */
  readonly timeoutMs: number;
  readonly longestMs: number;
  /** Told of every answer. */
  readonly answered: (answer: WholeAnswer) => void;
}

/** A place at the gate, and the connection that has it. */
interface Lane {
  readonly pipeline: Pipeline;
  readonly leave: () => void;
  /** Requests until it gives its place to whoever waits for one. */
  left: number;
}

/** A host that did not answer as it has to here is asked in the usual way alone, for so long. */
const offMs = 600_000;
const requestsOfPlace = 256;
/** Later, elsewhere, or in another way. */
const asksAgain: ReadonlySet<number> = new Set([408, 421, 425, 429, 503]);
/** So many connections in a row may break before one answer has come. */
const mostLosses = 3;
/** What a URL begins with is followed by this where it is written as it is sent. */
const plainPath = /^\/[A-Za-z0-9\-._~!$&()*+,;=:@%/?]*$/;
const dotSegment = /\/(?:\.|%2e)/i;

/**
 * GETs of small bodies, thousands of one host, with next to nothing made for each. Only what is usual is done here: whatever
 * answers in another way, or not at all, has to be asked in the usual way, which knows what to make of it.
 */
export class WholeGets {
  readonly #deps: WholeDeps;
  readonly #options: WholeOptions;
  readonly #prefix: string;
  readonly #tail: string;
  readonly #waiting: Asked[] = [];
  readonly #lanes = new Set<Lane>();
  readonly #idle: Pipeline[] = [];
  #opening = 0;
  #ahead = 1;
  #mostAhead = Number.MAX_SAFE_INTEGER;
  #losses = 0;
  /** Until it is known how the host answers. */
  #offUntil = Number.POSITIVE_INFINITY;
  #isClosed = false;

  constructor(deps: WholeDeps, options: WholeOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#prefix = deps.origin.origin;
    const fields = { host: deps.origin.host, ...deps.headers, ...options.headers };
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#tail = ` HTTP/1.1\r\n${lines.join('')}\r\n`;
    // Nobody writes requests of his own into ours.
    const isPlain = Object.values(fields).every((value) => /^[\t\x20-\x7e]*$/.test(value));
    this.#isClosed = !isPlain || options.signal.aborted;
    options.signal.addEventListener('abort', () => this.close(), { once: true });
  }

  /** An answer that came in the usual way: before one was as it has to be here, nothing is asked. */
  saw({ status, url, headers }: HttpResponse): void {
    if (this.#offUntil !== Number.POSITIVE_INFINITY || !isUsual({ status, headers })) return;
    if (!url.startsWith(`${this.#prefix}/`) || headers['content-length'] === undefined) return;
    this.#offUntil = 0;
    this.#ahead = this.#options.ahead(headers.server);
  }

  /** @returns undefined, or a promise of it: it has to be asked in the usual way */
  ask(url: string): Promise<WholeAnswer | undefined> | undefined {
    const { isResting, now } = this.#deps;
    const path = url.startsWith(this.#prefix) ? url.slice(this.#prefix.length) : '';
    if (!plainPath.test(path) || dotSegment.test(path)) return undefined;
    if (this.#isClosed || now() < this.#offUntil || isResting()) return undefined;
    return new Promise((heard) => {
      this.#waiting.push({ request: `GET ${path}${this.#tail}`, heard });
      this.#hand();
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#turnOff();
    for (const { pipeline } of this.#lanes) pipeline.close();
    for (const pipeline of this.#idle.splice(0)) pipeline.close();
  }

  /** Gives connections as much as they take, and opens one more where all of them are busy. */
  #hand(): void {
    const ahead = Math.min(this.#ahead, this.#mostAhead);
    while (this.#waiting.length > 0) {
      let best: Lane | undefined;
      for (const lane of this.#lanes) {
        const isFree = lane.left > 0 && lane.pipeline.waiting < ahead;
        if (isFree && (best === undefined || lane.pipeline.waiting < best.pipeline.waiting)) best = lane;
      }
      const mayOpen = this.#lanes.size + this.#opening < this.#deps.places;
      if (mayOpen && best?.pipeline.waiting !== 0) void this.#open();
      if (best === undefined) return;
      const next = this.#waiting.shift();
      if (next === undefined) return;
      best.left -= 1;
      best.pipeline.ask(next);
    }
  }

  async #open(): Promise<void> {
    const { enter, connect } = this.#deps;
    this.#opening += 1;
    let leave: (() => void) | undefined;
    try {
      leave = await enter();
      const pipeline = this.#idle.pop() ?? this.#pipelineOn(await connect());
      const lane = { pipeline, leave, left: requestsOfPlace };
      this.#opening -= 1;
      this.#lanes.add(lane);
      if (this.#isClosed) pipeline.close();
      this.#hand();
      this.#rest(lane);
    } catch {
      // The usual way says why.
      this.#opening -= 1;
      leave?.();
      this.#turnOff();
    }
  }

  #pipelineOn(socket: Socket): Pipeline {
    const { timeoutMs, longestMs } = this.#deps;
    const pipeline: Pipeline = new Pipeline(socket, {
      ...{ timeoutMs, longestMs, longestBody: this.#options.longestBody },
      heard: (asked, answer) => {
        this.#heard(asked, answer);
        if (pipeline.waiting === 0) setImmediate(() => this.#rest(this.#laneOf(pipeline)));
      },
      ended: (left, isOdd) => this.#ended(pipeline, left, isOdd),
    });
    return pipeline;
  }

  #heard({ heard }: Asked, answer: WholeAnswer): void {
    this.#losses = 0;
    this.#ahead = this.#options.ahead(answer.headers.server);
    this.#deps.answered(answer);
    if (isUsual(answer)) {
      heard(answer);
    } else {
      this.#turnOff();
      heard(undefined);
    }
    this.#hand();
  }

  /** Whoever has nothing to ask gives its place away. */
  #rest(lane: Lane | undefined): void {
    if (lane === undefined || lane.pipeline.waiting > 0 || !this.#lanes.delete(lane)) return;
    this.#idle.push(lane.pipeline);
    lane.leave();
    this.#hand();
  }

  #ended(pipeline: Pipeline, left: readonly Asked[], isOdd: boolean): void {
    const lane = this.#laneOf(pipeline);
    if (lane && this.#lanes.delete(lane)) lane.leave();
    const place = this.#idle.indexOf(pipeline);
    if (place >= 0) this.#idle.splice(place, 1);
    if (left.length > 0) {
      // One that closes its connections now and then is to have less to do again.
      this.#mostAhead = Math.max(1, Math.floor(Math.min(this.#ahead, this.#mostAhead) / 2));
      this.#losses += 1;
    }
    this.#waiting.unshift(...left);
    if (isOdd || this.#isClosed || this.#losses >= mostLosses) this.#turnOff();
    this.#hand();
  }

  #laneOf(pipeline: Pipeline): Lane | undefined {
    for (const lane of this.#lanes) if (lane.pipeline === pipeline) return lane;
    return undefined;
  }

  /** What is on its way may still be answered. */
  #turnOff(): void {
    this.#offUntil = this.#deps.now() + offMs;
    for (const { heard } of this.#waiting.splice(0)) heard(undefined);
  }
}

/** Whether nothing has to follow from it but what its status says. */
function isUsual({ status, headers }: Pick<WholeAnswer, 'status' | 'headers'>): boolean {
  const { 'content-encoding': coding = 'identity' } = headers;
  const isFinal = status === 200 || (status >= 400 && !asksAgain.has(status));
  return isFinal && coding.toLowerCase() === 'identity';
}
