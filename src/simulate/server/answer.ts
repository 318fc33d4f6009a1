import type { IncomingHttpHeaders } from 'node:http';

/** What is asked. */
export interface Request {
  /** With its query. */
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** How often this path was asked for before. */
  readonly nth: number;
  /** What its answer is about. */
  readonly subject: Subject;
}

export type Subject = 'document' | 'package' | 'resource' | 'page' | 'nothing';

/** What is answered, and how it comes. */
export interface Answer {
  readonly status: number;
  /** In lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly delivery?: Delivery;
  /** Of the request. */
  readonly ignores?: 'ranges' | 'conditions';
}

export interface Delivery {
  /** Before anything comes. */
  readonly waitMs?: number;
  /** Of the body; undefined: all at once. */
  readonly octetsPerSecond?: number;
  /** The connection breaks after so many octets of the body; -1: before anything comes. */
  readonly cutAfter?: number;
  /** Its length is not said. */
  readonly chunked?: boolean;
  /** Nothing ever comes. */
  readonly isSilent?: boolean;
}

export function withHeaders(answer: Answer, headers: Readonly<Record<string, string | undefined>>): Answer {
  const all = Object.entries({ ...answer.headers, ...headers });
  const kept = all.filter((pair): pair is [string, string] => pair[1] !== undefined);
  return { ...answer, headers: Object.fromEntries(kept) };
}
