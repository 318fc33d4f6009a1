import type { FastifyReply, FastifyRequest } from 'fastify';
import { isBridgeError } from '../core/errors.ts';
import { Refusal } from './http/errors.ts';
import { isGone } from './http/gone.ts';
import { mayRead, type WithPrivacy } from './privacy.ts';

/** So often an answer that takes long is looked at. */
const lookMs = 5_000;
/** What is shorter is on its way before anybody could look. */
const shortBytes = 1_000_000;

export interface LongAnswer {
  /** Undefined: nobody knows. */
  readonly length: number | undefined;
  readonly source: string;
  /** @throws Refusal, `file-withheld`: it would not be handed out now */
  readonly look: () => Promise<unknown>;
}

/**
 * Breaks an answer off that would not be given any more: its file was withdrawn, or is refused by its repository, or its source has
 * become private. Whoever reads it sees that it is not whole.
 */
export function untilWithheld(
  deps: WithPrivacy,
  request: FastifyRequest,
  reply: FastifyReply,
  { length, source, look }: LongAnswer,
): void {
  if ((length !== undefined && length < shortBytes) || request.method === 'HEAD' || isGone(reply.raw)) return;
  const timer = setInterval(() => {
    void isWithheld().then((yes) => {
      if (yes) reply.raw.destroy();
    });
  }, lookMs);
  timer.unref();
  reply.raw.once('close', () => clearInterval(timer));

  async function isWithheld(): Promise<boolean> {
    try {
      if (!(await mayRead(deps, request, source))) return true;
      await look();
      return false;
    } catch (error) {
      // That the database does not answer says nothing.
      return error instanceof Refusal || isBridgeError(error, 'file-withheld');
    }
  }
}
