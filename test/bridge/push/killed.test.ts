import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { freePort } from '../../../src/cli/demo/free-port.ts';
import { createSampleRepository } from '../../../src/demo/sample-repository.ts';
import { rsbridge } from '../../house/cli/processes.ts';
import { type Received, type Subscriber, startSubscriber, takeAll } from '../../house/push/subscriber.ts';
import { migratedPostgres, migratedSqlite } from '../../house/store/databases.ts';

const soon = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 90_000, interval: 50 });

/** Processes that deliver, are killed while they do, and are started again; two at one PostgreSQL. */
describe.each([
  ['SQLite', async () => migratedSqlite(), 1],
  ['PostgreSQL', migratedPostgres, 2],
] as const)('processes that are killed, on %s', (_, makeDatabase, processes) => {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-killed-'));
  const repository = createSampleRepository({ clock: systemClock, seed: 5, records: 12 });
  let subscriber: Subscriber;
  let ports: readonly number[] = [];
  let running: ReturnType<typeof rsbridge>[] = [];
  let drop = async () => undefined as unknown;
  let base = '';

  const start = () => {
    running = ports.slice(0, processes).map((port) => rsbridge(['serve', '--port', String(port)], directory));
  };
  /** At once, all of them. */
  const killAll = async () => {
    const killed = running;
    for (const { child } of killed) child.kill('SIGKILL');
    for (const { finished } of killed) await finished;
  };
  const harvest = async () => {
    for (let edit = 0; edit < 3; edit += 1) repository.edit();
    expect((await rsbridge(['harvest', 'repo'], directory).finished).code).toBe(0);
  };

  beforeAll(async () => {
    const made = await makeDatabase();
    drop = made.drop;
    subscriber = await startSubscriber();
    ports = [await freePort(), await freePort()];
    base = `http://127.0.0.1:${ports[0]}`;
    const { url } = await repository.listen();
    const silent = { files: { mode: 'none' }, schedule: false, fullPass: false, identifierPass: false };
    const config = {
      ...{ baseUrl: base, database: made.config, directory: join(directory, 'data'), search: false },
      push: { hub: true, allow: ['127.0.0.1'] },
      sources: { repo: { url, allowPrivateAddresses: true, ...silent } },
    };
    writeFileSync(join(directory, 'rsbridge.yaml'), stringify(config));
    await harvest();
    start();
  }, 180_000);
  afterAll(async () => {
    await killAll();
    await Promise.all([subscriber?.close(), repository.close(), drop()]);
    rmSync(directory, { recursive: true, force: true });
  });

  test('no subscription is lost, and each gets everything in order, twice at most what was under way', async () => {
    const topic = `${base}/repo/change-notification.xml`;
    await soon(async () => expect((await fetch(topic)).status).toBe(200));

    /** Kills all of them when a request comes, before it is answered or just after that. */
    const strikeAt = (method: string, answer: (one: Received, reply: ServerResponse) => void) =>
      new Promise<void>((struck) => {
        subscriber.behave((one, reply) => {
          if (one.method !== method) return takeAll(one, reply);
          subscriber.behave(takeAll);
          answer(one, reply);
          struck();
        });
      });
    const hang = (): void => undefined;
    const restarted = async () => {
      await killAll();
      start();
    };

    const asked = strikeAt('GET', hang);
    const callback = `${subscriber.base}/told`;
    const form = new URLSearchParams({
      ...{ 'hub.mode': 'subscribe', 'hub.topic': topic, 'hub.callback': callback },
    });
    expect((await fetch(`${base}/hub`, { method: 'POST', body: form })).status).toBe(202);
    await asked;
    await restarted();
    await soon(() => expect(subscriber.questions('subscribe')).toHaveLength(2));

    const tellsAt = () => subscriber.deliveries('/told').map(({ body }) => body.toString());
    const isTold = (count: number) =>
      soon(() => expect(new Set(tellsAt()).size).toBeGreaterThanOrEqual(count));
    const answers = processes === 1 ? [hang] : [hang, takeAll];
    for (const [round, answer] of answers.entries()) {
      const delivered = strikeAt('POST', answer);
      await harvest();
      await delivered;
      const { length } = tellsAt();
      await restarted();
      await isTold(round + 1);
      // What was sent and not answered is sent again.
      if (answer === hang) await soon(() => expect(tellsAt()).toHaveLength(length + 1));
    }
    // One alone is killed: the other one goes on.
    if (processes > 1) running[0]?.child.kill('SIGKILL');
    await harvest();
    await isTold(answers.length + 1);

    const bodies = tellsAt();
    const told = bodies.filter((body, index) => body !== bodies[index - 1]);
    expect(new Set(told).size).toBe(told.length);
    expect(bodies.length - told.length).toBeLessThanOrEqual(2);
    const intervals = told.map((body) => /from="([^"]+)" until="([^"]+)"/.exec(body)?.slice(1) ?? []);
    expect(intervals.slice(1).map(([from]) => from)).toEqual(
      intervals.slice(0, -1).map(([, until]) => until),
    );
  }, 300_000);
});
