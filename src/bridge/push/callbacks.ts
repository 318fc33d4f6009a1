import type { Agent } from 'undici';
import { request } from 'undici';
import { bare, isAddress, isLoopback } from '../../core/addresses/public-address.ts';
import type { Config } from '../../core/config/config.ts';
import { parseAllowedPlace } from '../../core/config/network-allow.ts';
import { isBridgeError } from '../../core/errors.ts';
import { type AddressGuard, createAddressGuard, type Resolve } from '../../harvest/http/address-guard.ts';
import { createGuardedAgent } from '../../harvest/http/guarded-agent.ts';
import { productName, version } from '../version.ts';

const answerSeconds = 10;
const connectSeconds = 5;
/** To one host at a time. */
export const callsPerHost = 2;

export interface Call {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | undefined;
  /** So much of the answer is read, and of a longer one nothing is returned. */
  readonly mostBytes?: number;
}

export type Answer =
  | { readonly status: number; readonly text: string | undefined }
  /** Nobody answered, for a reason of this class. */
  | {
      readonly status?: undefined;
      readonly counted: 'refused' | 'timeout' | 'unreachable';
      readonly reason: string;
    };

export interface CallbackSettings {
  /** `push.allow`. */
  readonly allow: readonly string[];
  readonly userAgent: string;
  /** Instead of the system's resolver. */
  readonly resolve?: Resolve;
}

/** `network.allow` is about links in records, and opens none of them. */
export function callbackSettings({
  push,
  contact,
  baseUrl,
}: Pick<Config, 'push' | 'contact' | 'baseUrl'>): CallbackSettings {
  return { allow: push.allow, userAgent: `${productName}/${version} (+${contact ?? baseUrl})` };
}

/** Whether it is plain from how an address is written that no call gets through; of a name that shows only then. */
export async function isInside(settings: CallbackSettings, url: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url);
  if (!isAddress(bare(hostname)) && !isLoopback(hostname)) return false;
  const usual = protocol === 'https:' ? 443 : 80;
  return !(await guardOf(settings).mayReach(hostname, Number(port) || usual));
}

function guardOf({ allow, resolve }: CallbackSettings): AddressGuard {
  return createAddressGuard({
    // No address is trusted: whoever wants to may have named it.
    endpoint: new URL('http://nowhere.invalid/'),
    scope: 'found',
    trusted: false,
    allow: allow.flatMap((entry) => parseAllowedPlace(entry) ?? []),
    allowPrivate: false,
    resolve,
  });
}

/**
 * Calls addresses that strangers have named: at public ones, by the address that is connected to, and where `push.allow` says so.
 * No redirect is followed, and nothing that is answered is read to an end that does not come.
 */
export class Callbacks {
  readonly #guard: AddressGuard;
  readonly #agent: Agent;
  readonly #userAgent: string;

  constructor(settings: CallbackSettings) {
    this.#guard = guardOf(settings);
    this.#agent = createGuardedAgent(this.#guard, {
      ...{ connections: callsPerHost, timeoutSeconds: answerSeconds, connectSeconds },
    });
    this.#userAgent = settings.userAgent;
  }

  async call({ url, method, headers = {}, body, mostBytes = 1024 }: Call): Promise<Answer> {
    const signal = AbortSignal.timeout(answerSeconds * 1000);
    try {
      this.#guard.check(new URL(url));
      const answer = await request(url, {
        ...{ dispatcher: this.#agent, method, signal },
        headers: { 'user-agent': this.#userAgent, accept: '*/*', ...headers },
        ...(body === undefined ? {} : { body }),
      });
      return { status: answer.statusCode, text: await readShort(answer.body, mostBytes) };
    } catch (error) {
      return whyNot(error, signal);
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

/** @returns undefined for what is longer, or does not end in time: whoever sends it has answered all the same */
async function readShort(
  body: AsyncIterable<Uint8Array> & { destroy(): unknown; on(event: 'error', listener: () => void): unknown },
  mostBytes: number,
): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  body.on('error', () => undefined);
  try {
    for await (const chunk of body) {
      length += chunk.byteLength;
      if (length > mostBytes) return undefined;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString();
  } catch {
    return undefined;
  } finally {
    body.destroy();
  }
}

/** For people who see what callbacks strangers have given: never what an inner address has said. */
function whyNot(error: unknown, signal: AbortSignal): Answer {
  if (isBridgeError(error, 'address-refused'))
    return { counted: 'refused', reason: 'it is not at a public address (`push.allow` names others)' };
  const { code = '' } = (error ?? {}) as { readonly code?: string };
  if (signal.aborted || /TIMEOUT/.test(code))
    return { counted: 'timeout', reason: 'it did not answer in time' };
  return {
    counted: 'unreachable',
    reason: code === '' ? 'nobody answers there' : `nobody answers there (${code})`,
  };
}
