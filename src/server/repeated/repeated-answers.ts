import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { PlainWay } from '../connections/plain-requests.ts';
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
  /** The same before Node has read it. What is not answered goes on to Node, and comes again. */
  readonly takePlain: PlainWay;
}

export type Told = (isAnswered: boolean) => void;

export interface ShortWayDeps {
  /** Whether every request has to go the long way now. */
  isClosed(): boolean;
  /** Told of each answer. */
  answered(asked: Asked, answer: GivenAnswer, milliseconds: number): void;
  readonly direct?: DirectWay;
}

/** Answers at once what can be, or as soon as the database has (`direct/direct-way.ts`). */
export interface DirectWay {
  /** @returns undefined: that goes the long way. What comes later is not kept: whoever promises does not know how long it holds */
  answer(asked: Asked, how: Together): Made;
  /** Whoever was answered was answered of one moment, which has ended. */
  rest(): void;
}

/** Of all that is answered before `rest`. */
export interface Together {
  /** There is no other. */
  readonly isAlone: boolean;
  /** None of them is kept: nobody need know how long they hold. */
  readonly isForOnce: boolean;
}

type Made = GivenAnswer | undefined | Promise<GivenAnswer | undefined>;

interface Waiting {
  readonly asked: Asked;
  readonly began: number;
  readonly asker: Asker;
}

/** Whoever waits for an answer. */
interface Asker {
  isGone(): boolean;
  send(answer: GivenAnswer): void;
  /** It goes the long way. */
  leave(): void;
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

  /** @returns what is known of it, if that holds; a promise: that has to be looked at */
  function recall(one: Waiting): GivenAnswer | Promise<GivenAnswer | undefined> | undefined {
    const known = memory.find(one.asked);
    const holds = known?.grounds.hold() ?? false;
    if (holds === false) return undefined;
    if (holds === true) return known;
    const makeAlone = () => {
      const made = makeAll([one])[0];
      direct?.rest();
      return made;
    };
    return holds.then((stillHolds) => (stillHolds && !isClosed() ? known : makeAlone()), makeAlone);
  }

  function makeAll(some: readonly Waiting[]): Made[] {
    if (!direct) return some.map(() => undefined);
    const wasSeen = some.map(({ asked }) => sightings.note(asked.target));
    const how = { isAlone: some.length === 1, isForOnce: !wasSeen.includes(true) };
    return some.map(({ asked }, at) => {
      const made = direct.answer(asked, how);
      if (made && !(made instanceof Promise) && wasSeen[at]) memory.add(asked, made);
      return made;
    });
  }

  function sendOrLeave({ asked, began, asker }: Waiting, answer: GivenAnswer | undefined): void {
    if (asker.isGone()) return;
    if (!answer) {
      asker.leave();
      return;
    }
    asker.send(answer);
    answered(asked, answer, performance.now() - began);
  }

  function answerSome(some: readonly Waiting[]): void {
    const known = some.map(recall);
    const made = makeAll(some.filter((_, at) => known[at] === undefined)).values();
    const answers = known.map((answer) => answer ?? made.next().value);
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

  function wait(asked: Asked, asker: Asker): void {
    if (waiting.length === 0) setImmediate(answerAll);
    waiting.push({ asked, began: performance.now(), asker });
  }

  return {
    take: (request, response, told) => {
      if (isClosed()) return false;
      const asked = readUsual(request);
      if (!asked) return false;
      wait(asked, {
        isGone: () => request.socket.destroyed,
        send: ({ status, headers, body }) => {
          response.writeHead(status, headers);
          response.end(atOnce(body), 'latin1');
          told(true);
        },
        leave: () => {
          record(response, (given) => memory.add(asked, given));
          told(false);
        },
      });
      return true;
    },
    takePlain: ({ target, headers }, asker) => {
      if (isClosed()) return false;
      const asked = askedBy('GET', target, headers);
      if (!asked) return false;
      wait(asked, {
        ...asker,
        send: ({ status, headers, body }) => asker.send({ status, headers, body: atOnce(body) }),
      });
      return true;
    },
  };
}

function readUsual({ method, url = '', headers, httpVersion }: IncomingMessage): Asked | undefined {
  if ((method !== 'GET' && method !== 'HEAD') || httpVersion !== '1.1') return undefined;
  return url.includes('?') ? undefined : askedBy(method, url, headers);
}

function askedBy(method: string, target: string, headers: IncomingHttpHeaders): Asked | undefined {
  if (target.length > longestTarget) return undefined;
  for (const name in headers) if (unusual.has(name)) return undefined;
  const asked: Asked = {
    method,
    target,
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
