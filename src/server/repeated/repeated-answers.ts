import type { IncomingMessage, ServerResponse } from 'node:http';
import { AnswerMemory, type Asked, type GivenAnswer } from './answer-memory.ts';
import { atOnce, record } from './recording.ts';
import { Sightings } from './sightings.ts';

/** The short way of a request: past the router and all that stands before and behind it. */
export interface ShortWay {
  /** @returns whether it answers */
  take(request: IncomingMessage, response: ServerResponse): boolean | Promise<boolean>;
}

export interface ShortWayDeps {
  /** Whether every request has to go the long way now. */
  isClosed(): boolean;
  /** Told of each answer. */
  answered(request: IncomingMessage, answer: GivenAnswer, milliseconds: number): void;
  /** What can be answered at once; undefined: that goes the long way. */
  direct?(asked: Asked): GivenAnswer | undefined;
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

/**
 * What was answered before is answered again, as it was, while all that it was made of is as it was (`Grounds`). The first
 * answer is written down as it goes out, so that no second one can be another.
 */
export function createShortWay({ isClosed, answered, direct }: ShortWayDeps): ShortWay {
  const memory = new AnswerMemory();
  const sightings = new Sightings();

  function send(
    request: IncomingMessage,
    response: ServerResponse,
    answer: GivenAnswer,
    began: number,
  ): true {
    response.writeHead(answer.status, answer.headers);
    response.end(atOnce(answer.body), 'latin1');
    answered(request, answer, performance.now() - began);
    return true;
  }

  return {
    take: (request, response) => {
      if (isClosed()) return false;
      const asked = readUsual(request);
      if (!asked) return false;
      const began = performance.now();
      const known = memory.find(asked);
      const holds = known?.grounds.hold() ?? false;
      if (known && holds === true) return send(request, response, known, began);
      const goOn = () => {
        const made = direct?.(asked);
        if (made) {
          if (sightings.note(asked.target)) memory.add(asked, made);
          return send(request, response, made, began);
        }
        record(response, (answer) => memory.add(asked, answer));
        return false;
      };
      if (!known || holds === false) return goOn();
      return Promise.resolve(holds).then(
        (stillHolds) => (stillHolds && !isClosed() ? send(request, response, known, began) : goOn()),
        goOn,
      );
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
