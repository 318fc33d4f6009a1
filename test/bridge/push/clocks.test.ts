import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { rsbridge } from '../../house/cli/processes.ts';
import { clockAhead } from '../../house/faults/clock-ahead.ts';
import { freePort } from '../../house/process/free-port.ts';
import { openPushHouse, type PushHouse } from '../../house/push/push-house.ts';
import { type Subscriber, startSubscriber, takeAll } from '../../house/push/subscriber.ts';
import { migratedPostgres, migratedSqlite } from '../../house/store/databases.ts';

const minute = 60_000;
const soon = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 50 });
const ends: (() => Promise<unknown>)[] = [];
let subscriber: Subscriber;
let house: PushHouse;

beforeEach(async () => {
  subscriber = await startSubscriber();
});
afterEach(async () => {
  await house.close();
  await subscriber.close();
  for (const end of ends.splice(0).toReversed()) await end();
});

test('two processes with clocks twelve minutes apart tell everything once, in order, and as long as the lease says', async () => {
  const { config, drop } = await migratedPostgres();
  ends.push(drop);
  house = await openPushHouse(config, ['127.0.0.1']);
  house.start(clockAhead(-6 * minute));
  house.start(clockAhead(6 * minute));
  await soon(async () => expect((await fetch(house.topic)).status).toBe(200));
  // A call takes longer than the two need to look: what one has begun the other does not begin, too.
  subscriber.behave((one, reply) =>
    one.method === 'GET' ? takeAll(one, reply) : void setTimeout(() => takeAll(one, reply), 1000),
  );
  for (const path of ['/a', '/b']) {
    const callback = `${subscriber.base}${path}`;
    const form = { 'hub.mode': 'subscribe', 'hub.topic': house.topic, 'hub.callback': callback };
    expect((await house.ask({ ...form, 'hub.lease_seconds': '300' })).status).toBe(202);
  }
  await soon(async () => expect((await house.run('subscriptions', 'list')).stdout).toContain('/b'));
  const toldAt = (path: string) => subscriber.deliveries(path).map(({ body }) => body.toString());
  for (let round = 1; round <= 3; round += 1) {
    await house.edit();
    for (const path of ['/a', '/b'])
      await soon(() => expect(toldAt(path).length).toBeGreaterThanOrEqual(round));
  }
  await soon(() => expect(toldAt('/a')).toEqual(toldAt('/b')));
  const bodies = toldAt('/a');
  expect(new Set(bodies).size).toBe(bodies.length);
  const intervals = bodies.map((body) => /from="([^"]+)" until="([^"]+)"/.exec(body)?.slice(1) ?? []);
  expect(intervals.slice(1).map(([from]) => from)).toEqual(intervals.slice(0, -1).map(([, until]) => until));
  expect(subscriber.questions('subscribe')).toHaveLength(2);
}, 180_000);

test('a Destination whose clock is ten minutes ahead follows what its Source tells', async () => {
  const { config, drop } = await migratedSqlite();
  ends.push(drop);
  house = await openPushHouse(config, ['127.0.0.1']);
  house.start();
  await soon(async () => expect((await fetch(house.topic)).status).toBe(200));

  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-clocks-'));
  ends.push(() => rm(directory, { recursive: true, force: true }));
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const url = `${house.base}/repo/capabilitylist.xml`;
  const silent = { files: { mode: 'none' }, schedule: false, fullPass: false, identifierPass: false };
  const settings = {
    ...{ baseUrl: base, directory: 'data', database: { client: 'sqlite', file: 'west.db' }, search: false },
    sources: { west: { adapter: 'resourcesync', url, allowPrivateAddresses: true, ...silent } },
  };
  writeFileSync(join(directory, 'rsbridge.yaml'), stringify(settings));
  const env = clockAhead(10 * minute);
  const first = await rsbridge(['harvest', 'west'], directory, env).finished;
  expect(first, first.stderr).toMatchObject({ code: 0 });
  const served = rsbridge(['serve', '--port', String(port)], directory, env);
  ends.push(() => {
    served.child.kill('SIGKILL');
    return served.finished;
  });
  await soon(async () => expect((await house.run('subscriptions', 'list')).stdout).toContain(base));

  const hashesAt = async (list: string) => {
    const answer = await fetch(list);
    return answer.ok ? [...(await answer.text()).matchAll(/hash="([^"]+)"/g)].map(([, hash]) => hash) : [];
  };
  for (let round = 0; round < 2; round += 1) {
    const before = (await hashesAt(`${house.base}/repo/changelist.xml`)).length;
    await house.edit();
    await soon(async () => {
      const told = await hashesAt(`${house.base}/repo/changelist.xml`);
      expect(told.length).toBeGreaterThan(before);
      expect(await hashesAt(`${base}/west/changelist.xml`)).toEqual(
        expect.arrayContaining(told.slice(before)),
      );
    });
  }
}, 180_000);
