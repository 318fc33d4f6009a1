import type { HttpResponse } from '../../core/adapter.ts';
import { parseHttpDate, toMilliseconds } from '../../core/datetime.ts';
import { BridgeError, describeError, isBridgeError, refusal } from '../../core/errors.ts';
import { say } from '../../core/reasons/reason.ts';
import { codesOf } from './once-more.ts';

/** How long to go on asking, and how long to wait in between: decided here, done in `http.ts`. */
export interface Patience {
  /** Requests that may end in 429 or 503 before we give up. */
  readonly busyAttempts: number;
  /** Connections that may fail before we give up. */
  readonly connectAttempts: number;
  /** The first wait where the server names none; doubles each time. */
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
}

const defaults: Patience = { busyAttempts: 6, connectAttempts: 3, firstWaitMs: 3600, longestWaitMs: 900_000 };
/** A host that has answered nothing well for so long, and asked for no patience, is given up. */
const brokenMs = 30_000;

export interface Wait {
  readonly milliseconds: number;
  readonly reason: string;
  /** The server asked for patience. */
  readonly isAsked: boolean;
}

interface Context {
  readonly url: URL;
  readonly now: Date;
  /** For so long nothing has gone well there. */
  readonly brokenForMs?: number;
  /** The host had just answered well when this was asked. */
  readonly answeredBefore?: boolean;
  /** Of silence, until a request is given up. */
  readonly timeoutSeconds?: number;
  readonly patience?: Patience | undefined;
}

/**
 * @returns how long to wait before the next attempt; undefined when the outcome is a response to use
 * @throws BridgeError when another attempt would not help
 */
export function waitBefore(
  failures: number,
  outcome: HttpResponse | { error: unknown },
  context: Context,
): Wait | undefined {
  const { patience = defaults, brokenForMs = 0 } = context;
  const { host } = context.url;
  const isLast = (wait: number) => brokenForMs + wait > brokenMs;
  if ('error' in outcome) {
    const { error } = outcome;
    const own = ownError(error);
    if (own) throw own;
    if ((error as { code?: unknown } | undefined)?.code === 'UND_ERR_HEADERS_OVERFLOW') {
      const message = `${host} answered with headers of more than 128 kB`;
      throw new BridgeError('response-too-large', message, { cause: error });
    }
    const isSilent = codesOf(error).includes('UND_ERR_HEADERS_TIMEOUT');
    const { timeoutSeconds: seconds } = context;
    const reason =
      isSilent && seconds !== undefined ? say('host-silent', { host, seconds }) : describeError(error);
    const milliseconds = backoff(failures, { ...patience, firstWaitMs: patience.firstWaitMs / 3 });
    // Who has not answered at all may never do so, and each further attempt takes as long; within a list a page may just have been slow.
    const isMute = isSilent && !context.answeredBefore;
    if (isMute || isHopeless(error) || failures >= patience.connectAttempts || isLast(milliseconds)) {
      if (isSilent && seconds !== undefined)
        throw refusal(
          'upstream-unreachable',
          'host-silent',
          { host, seconds },
          { cause: error, retryable: true },
        );
      throw refusal(
        'upstream-unreachable',
        'host-unreachable',
        { host, why: reason },
        { cause: error, retryable: true },
      );
    }
    return { milliseconds, reason, isAsked: false };
  }
  // Retry-After is an order on these two alone: Zenodo sends it with every answer (quirk 30).
  if (outcome.status !== 429 && outcome.status !== 503) return undefined;
  const asked = retryAfter(outcome.headers['retry-after'], context.now);
  // 429 asks for patience, if it does not say how much; 503 alone is what a broken server says as well.
  const mayBeBroken = outcome.status === 503 && asked === undefined;
  const longestWaitMs = mayBeBroken ? brokenMs / 2 : patience.longestWaitMs;
  const milliseconds = asked ?? backoff(failures, { ...patience, longestWaitMs });
  const isBroken = mayBeBroken && isLast(milliseconds);
  if (failures >= patience.busyAttempts || isBroken) {
    void outcome.discard();
    const facts = { host, status: outcome.status, times: failures === 1 ? '' : failures };
    throw refusal('upstream-busy', 'host-busy', facts, { retryable: true });
  }
  const reason = say(asked === undefined ? 'busy-unasked' : 'busy-asked', { status: outcome.status });
  return { milliseconds, reason, isAsked: !mayBeBroken };
}

/** Seconds or an HTTP date (quirk 31), between one second and one hour. */
export function retryAfter(value: string | undefined, now: Date): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  const date = parseHttpDate(text);
  const milliseconds = /^\d+$/.test(text)
    ? Number(text) * 1000
    : date === undefined
      ? undefined
      : toMilliseconds(date) - now.getTime();
  return milliseconds === undefined ? undefined : Math.min(3_600_000, Math.max(1000, milliseconds));
}

function backoff(failures: number, patience: Patience): number {
  const doubled = Math.min(patience.longestWaitMs, patience.firstWaitMs * 2 ** (failures - 1));
  // Not all of our sources at the same moment.
  return Math.round(doubled * (0.85 + Math.random() * 0.3));
}

/** undici wraps what a connection's lookup threw. */
function ownError(error: unknown): BridgeError | undefined {
  if (isBridgeError(error)) return error;
  return error instanceof Error && isBridgeError(error.cause) ? error.cause : undefined;
}

const hopelessCodes =
  /^(ENOTFOUND|ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_SSL|ERR_INVALID|EPROTO|HPE_)/;

/** A name that does not exist and a certificate that is wrong stay so for the next minutes. */
function isHopeless(error: unknown): boolean {
  for (let current = error; current instanceof Error; current = current.cause) {
    const code = (current as { code?: unknown }).code;
    if (typeof code === 'string' && hopelessCodes.test(code)) return true;
  }
  return false;
}
