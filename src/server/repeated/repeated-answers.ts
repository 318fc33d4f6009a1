import type { IncomingMessage, ServerResponse } from 'node:http';
import { AnswerMemory, type Asked, type GivenAnswer } from './answer-memory.ts';
import { atOnce, record } from './recording.ts';
import { Sightings } from './sightings.ts';

/** The short way of a request: past the router and all that stands before and behind it. */
export interface ShortWay {
  /**
   * @param told at the end of this turn of the event loop or later: whether it was answered; not called once the connection has ended
   * @returns whether `told` will be called; false: it goes the long way
   */
  take(request: IncomingMessage, response: ServerResponse, told: Told): boolean;
}

export type Told = (isAnswered: boolean) => void;

export interface ShortWayDeps {
  /** Whether every request has to go the long way now. */
  isClosed(): boolean;
  /** Told of each answer. */
  answered(request: IncomingMessage, answer: GivenAnswer, milliseconds: number): void;
  readonly direct?: DirectWay;
}

/** Answers at once what can be (`direct/direct-way.ts`). */
export interface DirectWay {
  /**
   * @param isAlone no other is asked before `rest`
   * @returns undefined: that goes the long way
   */
  answer(asked: Asked, isAlone: boolean): GivenAnswer | undefined;
  /** Whoever was answered was answered of one moment, which has ended. */
  rest(): void;
}

interface Waiting {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly asked: Asked;
  readonly began: number;
  readonly told: Told;
}

/** Whoever says one of these has an answer of his own, or a body that would have to be read. */
const unusual: ReadonlySet<string> = new Set([
  'authorization',
  'content-length',
  'expect',
  'if-match',
  'if-range',
  'if-unmodified-since',
  'range',
  'transfer-encoding',
  'upgrade',
]);
/** Longer than what clients that know what they ask for say. */
const longestTarget = 2048;
const longestField = 512;

/** So many are answered before the first of these answers is sent. */
const together = 32;

/**
 * What was answered before is answered again, as it was, while all that it was made of is as it was (`Grounds`). The first
 * answer is written down as it goes out, so that no second one can be another.
 *
 * Of requests that came in the same turn of the event loop all are read, then all answered, then all sent: what the same code does
 * many times in a row takes about half of the processor time, as that code and its data are in the processor's caches.
 */
export function createShortWay({ isClosed, answered, direct }: ShortWayDeps): ShortWay {
  const memory = new AnswerMemory();
  const sightings = new Sightings();
  let waiting: Waiting[] = [];

  function send({ request, response, began, told }: Waiting, answer: GivenAnswer): void {
    response.writeHead(answer.status, answer.headers);
    response.end(atOnce(answer.body), 'latin1');
    answered(request, answer, performance.now() - began);
    told(true);
  }

  function make({ asked }: Waiting, isAlone: boolean): GivenAnswer | undefined {
    const made = direct?.answer(asked, isAlone);
    if (made && sightings.note(asked.target)) memory.add(asked, made);
    return made;
  }

  function sendOrLeave(one: Waiting, answer: GivenAnswer | undefined): void {
    const { request, response, asked, told } = one;
    if (request.socket.destroyed) return;
    if (answer) {
      send(one, answer);
      return;
    }
    record(response, (given) => memory.add(asked, given));
    told(false);
  }

  /** @returns what is known of it, if that holds; a promise: that has to be looked at */
  function answerOf(
    one: Waiting,
    isAlone: boolean,
  ): GivenAnswer | undefined | Promise<GivenAnswer | undefined> {
    const known = memory.find(one.asked);
    const holds = known?.grounds.hold() ?? false;
    if (holds === false) return make(one, isAlone);
    if (holds === true) return known;
    const makeAlone = () => {
      const made = make(one, true);
      direct?.rest();
      return made;
    };
    return holds.then((stillHolds) => (stillHolds && !isClosed() ? known : makeAlone()), makeAlone);
  }

  function answerSome(some: readonly Waiting[]): void {
    const isAlone = some.length === 1;
    const answers = some.map((one) => answerOf(one, isAlone));
    direct?.rest();
    for (const [at, one] of some.entries()) {
      const answer = answers[at];
      if (answer instanceof Promise) void answer.then((given) => sendOrLeave(one, given));
      else sendOrLeave(one, answer);
    }
  }

  function answerAll(): void {
    const all = waiting;
    waiting = [];
    for (let at = 0; at < all.length; at += together) answerSome(all.slice(at, at + together));
  }

  return {
    take: (request, response, told) => {
      if (isClosed()) return false;
      const asked = readUsual(request);
      if (!asked) return false;
      if (waiting.length === 0) setImmediate(answerAll);
      waiting.push({ request, response, asked, began: performance.now(), told });
      return true;
    },
  };
}

function readUsual({ method, url = '', headers, httpVersion }: IncomingMessage): Asked | undefined {
  if ((method !== 'GET' && method !== 'HEAD') || httpVersion !== '1.1') return undefined;
  if (url.length > longestTarget || url.includes('?')) return undefined;
  for (const name in headers) if (unusual.has(name)) return undefined;
  const asked: Asked = {
    method,
    target: url,
    accept: headers.accept,
    acceptEncoding: fieldOf(headers['accept-encoding']),
    acceptDatetime: fieldOf(headers['accept-datetime']),
    ifNoneMatch: headers['if-none-match'],
    ifModifiedSince: headers['if-modified-since'],
    acceptLanguage: headers['accept-language'],
    cookie: headers.cookie,
  };
  const isShort =
    isShortField(asked.accept) &&
    isShortField(asked.acceptEncoding) &&
    isShortField(asked.acceptDatetime) &&
    isShortField(asked.ifNoneMatch) &&
    isShortField(asked.acceptLanguage);
  return isShort ? asked : undefined;
}

/** What comes twice is one text already. */
function fieldOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}

function isShortField(value = ''): boolean {
  return value.length <= longestField;
}
