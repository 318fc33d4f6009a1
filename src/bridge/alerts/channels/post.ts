import { createHmac } from 'node:crypto';
import { request } from 'undici';
import { createGuardedAgent } from '../../../harvest/http/guarded-agent.ts';
import { type ChannelPlaces, channelGuard, undelivered } from './guarded.ts';

const timeoutMs = 20_000;
/** Nobody reads it. */
const mostAnswer = 65_536;
const setting = 'alerts.allowPrivateAddresses';

export interface Posted {
  readonly url: string;
  readonly userAgent: string;
  readonly places: ChannelPlaces;
}

/** @throws BridgeError `alert-undelivered` where the answer is none of 2xx; no redirect is followed */
export async function postJson(
  { url, userAgent, places }: Posted,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  await ask({ url, userAgent, places }, 'POST', body, { 'content-type': 'application/json', ...headers });
}

/** For whoever notices that this is not asked for any more. @throws BridgeError `alert-undelivered` */
export async function ping(posted: Posted): Promise<void> {
  await ask(posted, 'GET', undefined, {});
}

async function ask(
  { url, userAgent, places }: Posted,
  method: 'GET' | 'POST',
  body: string | undefined,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const { host } = new URL(url);
  const guard = channelGuard(places);
  const agent = createGuardedAgent(guard, { connections: 1, timeoutSeconds: timeoutMs / 1000 });
  try {
    guard.check(new URL(url));
    const { statusCode, body: answer } = await request(url, {
      ...{ dispatcher: agent, method, signal: AbortSignal.timeout(timeoutMs) },
      headers: { 'user-agent': userAgent, ...headers },
      ...(body === undefined ? {} : { body }),
    });
    await answer.dump({ limit: mostAnswer });
    if (statusCode < 200 || statusCode > 299) throw answered(statusCode);
  } catch (given) {
    const isLate = given instanceof Error && given.name === 'TimeoutError';
    const cause = isLate
      ? new Error(`no answer within ${timeoutMs / 1000} seconds`, { cause: given })
      : given;
    throw undelivered(host, setting, cause);
  } finally {
    await agent.destroy();
  }
}

/** Of an error: whoever takes messages does not want this one, and may take others. */
export const refusedCode = 'MESSAGE_REFUSED';

function answered(status: number): Error {
  const isOfMessage = status >= 400 && status < 500 && status !== 408 && status !== 429;
  return Object.assign(new Error(`it answered ${status}`), isOfMessage ? { code: refusedCode } : {});
}

/**
 * By which a receiver knows that a message is ours, and of now: as Standard Webhooks has it, so that libraries for that check it.
 * @param secret `whsec_` and base64, else any text
 * @param seconds of the attempt, since the epoch
 */
export function signatureHeaders(
  { id, body }: { readonly id: string; readonly body: string | Uint8Array },
  secret: string,
  seconds: number,
): Readonly<Record<string, string>> {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.`).update(body).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${signature}`,
  };
}
