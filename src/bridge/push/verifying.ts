import { randomBytes, timingSafeEqual } from 'node:crypto';
import { failure } from '../../core/errors.ts';
import { withParameters } from '../../core/push/callback.ts';
import { verificationDelay } from '../../core/push/limits.ts';
import {
  type ClaimedIntent,
  claimIntents,
  type IntentOutcome,
  releaseIntents,
  settleIntent,
} from '../../store/push/intents.ts';
import type { Bridge } from '../bridge.ts';
import { type Callbacks, callsPerHost } from './callbacks.ts';
import { HostTurns } from './host-turns.ts';

export interface VerifyingDeps {
  readonly bridge: Pick<Bridge, 'database' | 'log'>;
  readonly holder: string;
  readonly callbacks: Pick<Callbacks, 'call'>;
  /** By the clock of the database. */
  readonly now: () => number;
}

const most = 16;
const longestAnswer = 4096;

/** Asks callbacks whether they want what somebody has asked for in their name (WS-09), and tells them what is denied (WS-12). */
export class Verifying {
  readonly #deps: VerifyingDeps;
  readonly #turns = new HostTurns(callsPerHost);
  readonly #running = new Set<Promise<void>>();

  constructor(deps: VerifyingDeps) {
    this.#deps = deps;
  }

  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** @returns whether there was anything */
  async look(): Promise<boolean> {
    const { bridge, holder, now } = this.#deps;
    const claimed = await claimIntents(bridge.database, holder, { limit: most - this.#running.size }, now());
    for (const intent of claimed) {
      const work = this.#verify(intent)
        .catch((error: unknown) =>
          bridge.log.warn(
            { ...failure(error) },
            'a subscription could not be written down; its callback is asked again',
          ),
        )
        .finally(() => this.#running.delete(work));
      this.#running.add(work);
    }
    return claimed.length > 0;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#running);
    await releaseIntents(this.#deps.bridge.database, this.#deps.holder);
  }

  async #verify(intent: ClaimedIntent): Promise<void> {
    const { bridge, holder, now } = this.#deps;
    const leave = await this.#turns.take(intent.host);
    let outcome: IntentOutcome;
    try {
      outcome = await this.#ask(intent);
    } finally {
      leave();
    }
    await settleIntent(bridge.database, holder, intent, outcome, now());
  }

  async #ask(intent: ClaimedIntent): Promise<IntentOutcome> {
    const { callbacks, now } = this.#deps;
    const { mode, topicUrl, leaseSeconds, reason, attempts } = intent;
    // Another one each time, which nobody else knows.
    const challenge = randomBytes(24).toString('base64url');
    const asked = { 'hub.mode': mode, 'hub.topic': topicUrl };
    const parameters =
      mode === 'denied'
        ? { ...asked, 'hub.reason': reason ?? '' }
        : {
            ...{ ...asked, 'hub.challenge': challenge },
            ...(mode === 'subscribe' ? { 'hub.lease_seconds': String(leaseSeconds) } : {}),
          };
    const url = withParameters(intent.callback, parameters);
    const answer = await callbacks.call({ url, method: 'GET', mostBytes: longestAnswer });
    const isHeard = answer.status !== undefined && answer.status < 500;
    if (mode === 'denied' && isHeard) return { kind: 'over', counted: 'told' };
    if (isHeard && answer.status >= 200 && answer.status <= 299 && isSame(answer.text, challenge))
      return { kind: 'confirmed' };
    // A redirect, a refusal, another text: whoever is there wants nothing.
    if (isHeard) return { kind: 'over', counted: 'refused' };
    // It would not be called the next time, either.
    if (answer.status === undefined && answer.counted === 'refused')
      return { kind: 'over', counted: 'blocked' };
    const delay = verificationDelay(attempts + 1);
    return delay === undefined
      ? { kind: 'over', counted: 'unanswered' }
      : { kind: 'again', dueAt: now() + delay };
  }
}

function isSame(text: string | undefined, challenge: string): boolean {
  const [a, b] = [Buffer.from(text ?? ''), Buffer.from(challenge)];
  return a.byteLength === b.byteLength && timingSafeEqual(a, b);
}
