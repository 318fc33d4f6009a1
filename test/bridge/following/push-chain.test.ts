import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, expect, test, vi } from 'vitest';
import { type Bridge, openBridge } from '../../../src/bridge/bridge.ts';
import { type Service, startService } from '../../../src/bridge/service.ts';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { parseConfig } from '../../../src/core/config/config.ts';
import { createSampleRepository } from '../../../src/demo/sample-repository.ts';
import { listTopics } from '../../../src/store/following/followed-topics.ts';
import { listResources } from '../../../src/store/reading/listing.ts';
import { freePort } from '../../house/process/free-port.ts';

/** A bridge as it runs, which reads nothing by itself: whatever moves was pushed. */
class Station {
  readonly name: string;
  readonly url: string;
  readonly #directory = mkdtempSync(join(tmpdir(), 'rsbridge-push-'));
  readonly #port: number;
  readonly #source: object;
  bridge: Bridge | undefined;
  service: Service | undefined;

  constructor(name: string, port: number, source: object) {
    this.name = name;
    this.#port = port;
    this.url = `http://127.0.0.1:${port}/rs`;
    this.#source = source;
  }

  async start(): Promise<void> {
    const silent = { files: { mode: 'none' }, schedule: false, fullPass: false, identifierPass: false };
    const config = parseConfig({
      baseUrl: this.url,
      directory: join(this.#directory, 'data'),
      database: { client: 'sqlite', file: join(this.#directory, 'station.db') },
      search: false,
      push: { hub: true, allow: ['127.0.0.1'] },
      sources: {
        [this.name]: { allowPrivateAddresses: true, requestsPerHost: 4, ...silent, ...this.#source },
      },
    });
    const { signal } = new AbortController();
    this.bridge = await openBridge(config, pino({ level: 'silent' }), 'migrate');
    const address = { host: '127.0.0.1', port: this.#port };
    this.service = await startService(this.bridge, address, { stop: signal, abort: signal });
  }

  /** As its schedule would. */
  async harvest(mode: 'full' | 'incremental' = 'incremental'): Promise<void> {
    await this.service?.harvestNow(this.name, { mode });
  }

  async stop(): Promise<void> {
    await this.service?.close();
    await this.bridge?.close();
    this.service = undefined;
    this.bridge = undefined;
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** What it publishes, by path below the source. */
  async holdings(): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    const set = this.bridge?.sets().find(({ path }) => path === this.name);
    if (!this.bridge || !set) return found;
    for await (const page of listResources(this.bridge.database.reader, set))
      for (const { path, hash } of page) found.set(path.slice(this.name.length), hash ?? '');
    return found;
  }

  /** It follows another, and is told of its changes. */
  async isTold(): Promise<void> {
    // Its first look was before the first harvest: the next one is not waited for.
    await this.bridge?.database.writer('followed_source').delete();
    await vi.waitFor(async () => {
      const topics = this.bridge ? await listTopics(this.bridge.database.reader) : [];
      expect(topics).toMatchObject([{ state: 'active' }]);
    }, patience);
  }
}

const patience = { timeout: 60_000, interval: 100 };
const repository = createSampleRepository({ clock: systemClock, seed: 5, records: 12 });
const stations: Station[] = [];

afterAll(async () => {
  for (const station of stations.reverse()) await station.remove();
  await repository.close();
});

test('a change goes through three bridges by push alone, and after an outage of any of them all agree', {
  timeout: 300_000,
}, async () => {
  const { url } = await repository.listen();
  const ports = [await freePort(), await freePort(), await freePort()] as const;
  const follow = (port: number, name: string) => ({
    adapter: 'resourcesync',
    url: `http://127.0.0.1:${port}/rs/${name}/capabilitylist.xml`,
  });
  const first = new Station('kyushu', ports[0], { url });
  const second = new Station('west', ports[1], follow(ports[0], 'kyushu'));
  const third = new Station('nation', ports[2], follow(ports[1], 'west'));
  stations.push(first, second, third);
  for (const station of stations) {
    await station.start();
    await station.harvest('full');
    const list = `${station.url}/${station.name}/changelist.xml`;
    await vi.waitFor(async () => expect((await fetch(list)).status).toBe(200), patience);
    if (station !== first) await station.isTold();
  }
  const agree = async () => {
    const own = await first.holdings();
    expect(own.size).toBeGreaterThan(0);
    await vi.waitFor(async () => {
      expect(await second.holdings()).toEqual(own);
      expect(await third.holdings()).toEqual(own);
    }, patience);
  };
  await agree();

  const edited = async () => {
    for (let edit = 0; edit < 3; edit += 1) repository.edit();
    await first.harvest();
  };
  const times: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    await edited();
    const began = performance.now();
    await agree();
    times.push(Math.round(performance.now() - began));
  }
  process.stderr.write(`from the commit in the first bridge to that in the third: ${times.join(', ')} ms\n`);

  for (const station of stations) {
    await station.stop();
    for (let edit = 0; edit < 3; edit += 1) repository.edit();
    if (station !== first) await first.harvest();
    await station.start();
    // What was missed is caught up with by the schedule; those behind are told.
    await station.harvest();
    await agree();
  }
});
