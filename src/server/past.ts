import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Gap } from '../core/time/timeline.ts';

/** Something with a past: a resource, or a document. */
export interface Past {
  /** URI-R, as we write it. */
  readonly uri: string;
  /** How many mementos there are, and the datetimes of the first and the last; undefined: none. */
  readonly span: { readonly count: number; readonly first: string; readonly last: string } | undefined;
  /** Why nothing of it is handed out, for people; undefined: it is. */
  readonly withheld?: string | undefined;
  /** Whether the configuration says of it what it said; undefined: more than that decides. */
  readonly isConfigured?: (() => boolean) | undefined;
  /** When there was nothing, oldest first. */
  readonly gaps?: readonly Gap[] | undefined;
  /** The state at a moment; without one the latest (ME-05). */
  select(at?: string): Promise<PastSelection>;
  /** The memento of exactly this datetime, with its neighbours. */
  exact(datetime: string): Promise<PastSelection>;
  /** Datetimes in their order, from `offset`. */
  list(offset: number, limit: number): Promise<readonly string[]>;
  /** Retention has given up the memento of exactly this moment. */
  isDropped(datetime: string): boolean;
  /**
   * Whether the memento of this datetime, which exists, is the same for ever: no change can be dated into its second
   * any more, and nobody else may think better of what was.
   */
  isFinal(datetime: string): boolean;
  /**
   * Sends the memento of this datetime, which exists.
   * @param headers of Memento, which are on the reply already, and what `Cache-Control` it may have
   */
  send(
    datetime: string,
    request: FastifyRequest,
    reply: FastifyReply,
    headers: Readonly<Record<string, string>>,
  ): Promise<FastifyReply>;
}

/** Datetimes; undefined where there is none. */
export interface PastSelection {
  readonly selected?: string | undefined;
  readonly prev?: string | undefined;
  readonly next?: string | undefined;
}
