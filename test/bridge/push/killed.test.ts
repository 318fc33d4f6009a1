import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openPushHouse, type PushHouse } from '../../house/push/push-house.ts';
import { type Received, type Subscriber, startSubscriber, takeAll } from '../../house/push/subscriber.ts';
import { migratedPostgres, migratedSqlite } from '../../house/store/databases.ts';

/** Processes that deliver, are killed while they do, and are started again; two at one PostgreSQL. */
describe.each([
  ['SQLite', async () => migratedSqlite(), 1],
  ['PostgreSQL', migratedPostgres, 2],
] as const)('processes that are killed, on %s', (_, makeDatabase, processes) => {
  let subscriber: Subscriber;
  let house: PushHouse;
  let drop = async () => undefined as unknown;
  let running: ReturnType<PushHouse['start']>[] = [];

  /** Whoever waits for a process that is not there is told why it is not. */
  const soon = (check: () => void | Promise<void>) =>
    vi.waitFor(
      async () => {
        house.expectNoneEnded();
        await check();
      },
      { timeout: 90_000, interval: 50 },
    );
  const start = () => {
    running = Array.from({ length: processes }, () => house.start());
  };

  beforeAll(async () => {
    const made = await makeDatabase();
    drop = made.drop;
    subscriber = await startSubscriber();
    house = await openPushHouse(made.config, ['127.0.0.1']);
    start();
  }, 180_000);
  afterAll(async () => {
    await Promise.all([house?.close(), subscriber?.close()]);
    await drop();
  });

  test('no subscription is lost, and each gets everything in order, twice at most what was under way', async () => {
    const { topic } = house;
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
      await house.killAll();
      start();
    };

    const asked = strikeAt('GET', hang);
    const callback = `${subscriber.base}/told`;
    const form = { 'hub.mode': 'subscribe', 'hub.topic': topic, 'hub.callback': callback };
    expect((await house.ask(form)).status).toBe(202);
    await asked;
    await restarted();
    await soon(() => expect(subscriber.questions('subscribe')).toHaveLength(2));

    const tellsAt = () => subscriber.deliveries('/told').map(({ body }) => body.toString());
    const isTold = (count: number) =>
      soon(() => expect(new Set(tellsAt()).size).toBeGreaterThanOrEqual(count));
    const answers = processes === 1 ? [hang] : [hang, takeAll];
    for (const [round, answer] of answers.entries()) {
      const delivered = strikeAt('POST', answer);
      await house.edit();
      await delivered;
      const { length } = tellsAt();
      await restarted();
      await isTold(round + 1);
      // What was sent and not answered is sent again.
      if (answer === hang) await soon(() => expect(tellsAt()).toHaveLength(length + 1));
    }
    // One alone is killed: the other one goes on.
    if (processes > 1) running[0]?.child.kill('SIGKILL');
    await house.edit();
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
