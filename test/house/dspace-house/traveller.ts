import { pino } from 'pino';
import { toHttpDate } from '../../../src/core/datetime.ts';
import { resourceSets } from '../../../src/core/resource-set.ts';
import { createUpstreamFiles } from '../../../src/harvest/files/upstream/upstream-files.ts';
import { createApp } from '../../../src/server/app.ts';
import type { House } from './house.ts';

export const baseUrl = 'https://bridge.example.org/rs';

/** A served house, asked as a Memento client asks it. */
export class Traveller {
  readonly #app: ReturnType<typeof createApp>;
  readonly #upstream: ReturnType<typeof createUpstreamFiles>;

  constructor(house: House) {
    const endpoint = house.server.url;
    const reached = {
      endpoint,
      allow: [],
      allowPrivateAddresses: true,
      userAgent: 'test',
      connections: 2,
      slowestRate: { graceSeconds: 60, bytesPerSecond: 1 },
    };
    this.#upstream = createUpstreamFiles(() => reached, {
      clock: house.clock,
      log: pino({ level: 'silent' }),
    });
    this.#app = createApp({
      database: house.database,
      publication: {
        find: async () => undefined,
        sets: async () => [],
        set: async () => undefined,
        former: async () => [],
      },
      directory: '/nowhere',
      fileMode: () => 'proxy',
      upstreamFiles: this.#upstream,
      baseUrl,
      title: 'Example',
      version: '1.0.0',
      robots: true,
      clock: house.clock,
      log: { level: 'silent' },
      setsOf: (source, title) => resourceSets(source, { title }),
      sources: async () => [],
    });
  }

  async ask(target: string, headers: Record<string, string> = {}) {
    return this.#app.inject({ url: new URL(target).pathname.slice('/rs'.length), headers });
  }

  /** What a resource was at a moment: status, when it began, and its text. */
  async at(path: string, moment: string) {
    const gate = await this.ask(`${baseUrl}/timegate/${baseUrl}/${path}`, {
      'accept-datetime': toHttpDate(moment),
    });
    if (gate.statusCode !== 302) return { status: gate.statusCode };
    const memento = await this.ask(String(gate.headers.location));
    const began = memento.headers['memento-datetime'];
    const { statusCode: status, headers } = memento;
    return { status, began, text: memento.body, location: headers.location };
  }

  async close() {
    await Promise.all([this.#app.close(), this.#upstream.close()]);
  }
}
