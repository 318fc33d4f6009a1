import type { Log } from '../../core/adapter.ts';
import { failure, isBridgeError } from '../../core/errors.ts';
import { codesOf } from '../../harvest/http/once-more.ts';
import {
  type AlertChannel,
  claimMessages,
  inOrder,
  type OutboxMessage,
  postponeMessages,
  pruneMessages,
  releaseMessages,
  type SendOutcome,
  settleMessage,
} from '../../store/alerts/outbox.ts';
import type { Database } from '../../store/engine/database.ts';
import { lookAtClock } from '../../store/runs/clock-ahead.ts';
import { addHolder, newHolder } from '../../store/runs/leases.ts';
import { refusedCode } from './channels/post.ts';
import type { Channels, Outgoing } from './channels.ts';

export interface SendingDeps {
  readonly database: Database;
  readonly log: Log;
  readonly channels: Pick<Channels, 'send' | 'close'>;
  /** No further message is begun. */
  readonly stop: AbortSignal;
}

const atATime = 5;
/** Others take it for dead after three minutes: what was not begun by then is left to them. */
const claimedMs = 60_000;
const firstRetryMs = 30_000;
const longestRetryMs = 3_600_000;
/** Nobody needs to be told any more. */
const givenUpAfterMs = 3 * 86_400_000;
const keptMs = 30 * 86_400_000;

/** By this name, for as long as this process lives, messages are held. */
let ownHolder: string | undefined;

/**
 * Sends what is due. Whoever is killed between sending and writing that down sends it again, by the same id. A way that does
 * not work is left until the next time.
 */
export async function sendDue(deps: SendingDeps): Promise<void> {
  const { database, stop, channels } = deps;
  if (ownHolder === undefined) {
    ownHolder = newHolder();
    addHolder(ownHolder);
  }
  const holder = ownHolder;
  /** Until when they are left. */
  const broken = new Map<AlertChannel, number>();
  const tried: string[] = [];
  try {
    while (!stop.aborted) {
      const now = await lookAtClock(database);
      const claimed = await claimMessages(database, { holder, now, limit: atATime, tried });
      const began = performance.now();
      for (const message of claimed) {
        const isLate = performance.now() - began > claimedMs;
        if (stop.aborted || isLate || broken.has(message.channel)) continue;
        tried.push(message.id);
        const restUntil = await sendOne(deps, holder, message);
        if (restUntil !== undefined) broken.set(message.channel, restUntil);
      }
      // What was claimed and not begun.
      await releaseMessages(database, holder);
      for (const [channel, until] of broken)
        if (inOrder.includes(channel))
          await postponeMessages(database, channel, { now: await lookAtClock(database), until });
      if (claimed.length < atATime || broken.size > 0) break;
    }
    await pruneMessages(database, (await lookAtClock(database)) - keptMs);
  } finally {
    channels.close();
  }
}

/** @returns when it is tried again, where the way does not work */
async function sendOne(
  { database, log, channels }: SendingDeps,
  holder: string,
  message: OutboxMessage,
): Promise<number | undefined> {
  const { id, channel, attempts, createdAt } = message;
  let outcome: SendOutcome = { kind: 'sent' };
  let restUntil: number | undefined;
  try {
    const content = JSON.parse(message.content) as Outgoing['content'];
    const rejected = await channels.send({ id, channel, content });
    if (rejected.length > 0)
      log.warn({ id, channel, rejected }, 'the mail server did not take all addresses');
  } catch (error) {
    const now = await lookAtClock(database);
    const wait = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(attempts, 20));
    const isOver = now - createdAt > givenUpAfterMs;
    const dueAt = isOver ? undefined : now + Math.round(wait * (0.75 + Math.random() / 2));
    const isOfMessage = isBridgeError(error) && (!error.retryable || codesOf(error).includes(refusedCode));
    if (!isOfMessage) restUntil = dueAt ?? now;
    outcome = { kind: 'failed', reason: failure(error).reason, dueAt };
    const fields = { id, channel, ...failure(error), attempts: attempts + 1 };
    if (isOver) log.error(fields, 'a message could not be sent, and is given up');
    else log.warn(fields, 'a message could not be sent; it is tried again');
  }
  await settleMessage(database, message, holder, outcome, await lookAtClock(database));
  return restUntil;
}
