import { randomBytes } from 'node:crypto';
import { request } from 'undici';
import { productName, version } from '../../bridge/version.ts';
import type { Config } from '../../core/config/config.ts';
import { parseAllowedPlace } from '../../core/config/network-allow.ts';
import { createAddressGuard } from '../../harvest/http/address-guard.ts';
import { createGuardedAgent } from '../../harvest/http/guarded-agent.ts';

/** What came back from our own public address, whoever answered there. */
export interface OutsideAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The first of it. */
  readonly text: string;
  readonly bytes: number;
  /** By our clock, in the middle of the exchange; milliseconds since the epoch. */
  readonly at: number;
}

export interface OutsideView {
  ask(
    url: string,
    options?: { readonly method?: 'GET' | 'HEAD'; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<OutsideAnswer>;
  close(): Promise<void>;
}

const timeoutMs = 20_000;
const mostBytes = 4 * 1024 * 1024;

/** Asks as a stranger does. The host of `baseUrl` is meant, as that of a source is; no redirect is followed. */
export function openOutside({ baseUrl, network }: Config, signal: AbortSignal): OutsideView {
  const guard = createAddressGuard({
    endpoint: new URL(baseUrl),
    scope: 'endpoint',
    allow: network.allow.flatMap((entry) => parseAllowedPlace(entry) ?? []),
    allowPrivate: false,
  });
  const dispatcher = createGuardedAgent(guard, { connections: 1, timeoutSeconds: timeoutMs / 1000 });
  return {
    ask: async (url, { method = 'GET', headers = {} } = {}) => {
      guard.check(new URL(url));
      const before = Date.now();
      const answer = await request(url, {
        ...{ dispatcher, method },
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        headers: { 'user-agent': `${productName}/${version} doctor (+${baseUrl})`, ...headers },
      });
      const at = (before + Date.now()) / 2;
      const parts: Buffer[] = [];
      let bytes = 0;
      for await (const part of answer.body as AsyncIterable<Buffer>) {
        bytes += part.length;
        if (bytes > mostBytes) break;
        parts.push(part);
      }
      return {
        ...{ status: answer.statusCode, bytes, at },
        headers: Object.fromEntries(
          Object.entries(answer.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
        ),
        text: Buffer.concat(parts).toString('utf8').slice(0, 65_536),
      };
    },
    close: () => dispatcher.destroy(),
  };
}

/** Of which nothing is known, whoever answers. */
export function unknownName(): string {
  return `doctor-${randomBytes(6).toString('hex')}`;
}
