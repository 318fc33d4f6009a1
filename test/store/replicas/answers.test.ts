import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { type Database, forAnswers, openDatabase } from '../../../src/store/engine/database.ts';
import { migrate } from '../../../src/store/schema/migrate.ts';
import { type PostgresPair, startPostgresPair } from '../../house/postgres/pair.ts';
import { startSilentProxy } from '../../house/postgres/silent-proxy.ts';

/** Long enough to start two servers on a busy machine. */
const patience = 120_000;

describe('requests are answered by a replica', () => {
  let pair: PostgresPair;
  let database: Database;

  beforeAll(async () => {
    pair = await startPostgresPair();
    database = open(pair);
    await migrate(database);
  }, patience);
  afterAll(async () => {
    await database.close();
    await pair.stop();
  }, patience);
  beforeEach(async () => {
    await pair.caughtUp();
    await expect.poll(readsAt, { timeout: 60_000 }).toBe('replica');
  }, patience);

  function open({ url, replicaUrl }: PostgresPair): Database {
    return openDatabase({ client: 'pg', url, poolSize: 4, replicaUrl });
  }

  /** Asked of a server, where it is. */
  async function readsAt(): Promise<'primary' | 'replica'> {
    const { rows } = await database.answers.reader.raw('select pg_is_in_recovery() as "isReplica"');
    return rows[0].isReplica ? 'replica' : 'primary';
  }

  const number = async (): Promise<number | undefined> =>
    (await database.answers.reader('edition').where({ what: 'test' }).first('number'))?.number;

  const write = (count: number) =>
    database.writer('edition').insert({ what: 'test', number: count }).onConflict('what').merge();

  test('what was committed before is read, each time, whoever answers', async () => {
    for (let count = 1; count <= 200; count += 1) {
      await write(count);
      expect(await number()).toBe(count);
    }
  });

  test('those who work are never asked elsewhere', async () => {
    const { rows } = await database.reader.raw('select pg_is_in_recovery() as "isReplica"');
    expect(rows[0].isReplica).toBe(false);
  });

  test('while it replays nothing, it answers until something is committed, and not after that', async () => {
    await write(1000);
    await pair.caughtUp();
    await pair.ask('replica', 'select pg_wal_replay_pause()');
    try {
      await expect.poll(readsAt, { timeout: 60_000 }).toBe('replica');
      await database.writer('edition').where({ what: 'test' }).delete();
      for (let turn = 0; turn < 50; turn += 1) expect(await number()).toBe(undefined);
      const [stale] = await pair.ask<{ number: string }>(
        'replica',
        `select number from edition where what = 'test'`,
      );
      expect(Number(stale?.number)).toBe(1000);
      expect(await readsAt()).toBe('primary');
    } finally {
      await pair.ask('replica', 'select pg_wal_replay_resume()');
    }
    await expect.poll(readsAt, { timeout: 60_000 }).toBe('replica');
    expect(await number()).toBe(undefined);
  });

  test('a request that was answered by the primary goes on there', async () => {
    await pair.ask('replica', 'select pg_wal_replay_pause()');
    await write(5);
    const { asOne = (work) => work() } = database.answers;
    await asOne(async () => {
      expect(await readsAt()).toBe('primary');
      await pair.ask('replica', 'select pg_wal_replay_resume()');
      await pair.caughtUp();
      for (let turn = 0; turn < 20; turn += 1) expect(await readsAt()).toBe('primary');
    });
  });

  test('a request that has written goes on at the primary', async () => {
    const { asOne = (work) => work() } = database.answers;
    const answering = forAnswers(database);
    const isAtReplica = async () => {
      const { rows } = await answering.reader.raw('select pg_is_in_recovery() as "isReplica"');
      return rows[0].isReplica;
    };
    await asOne(async () => {
      expect(await isAtReplica()).toBe(true);
      await answering.transaction(async (trx) =>
        trx('edition').where({ what: 'test' }).update({ number: 6 }),
      );
      expect(await isAtReplica()).toBe(false);
    });
    await pair.caughtUp();
    await expect.poll(isAtReplica, { timeout: 60_000 }).toBe(true);
  });

  test('a statement that the replica ends in the middle is asked of the primary', async () => {
    const { asOne = (work) => work() } = database.answers;
    await asOne(async () => {
      expect(await readsAt()).toBe('replica');
      const asked = database.answers.reader.raw(
        'select pg_is_in_recovery() as "isReplica", pg_sleep(case when pg_is_in_recovery() then 600 else 0 end)',
      );
      const answer = Promise.resolve(asked);
      const sleeping = `from pg_stat_activity where query like '%pg_sleep(case%' and pid <> pg_backend_pid()`;
      await expect
        .poll(() => pair.ask('replica', `select pg_cancel_backend(pid) ${sleeping}`), { timeout: 60_000 })
        .not.toEqual([]);
      expect((await answer).rows[0].isReplica).toBe(false);
    });
    expect(await readsAt()).toBe('replica');
  });

  test(
    'one that dies is not noticed by those who read, and is used again when it is back',
    async () => {
      await write(7);
      let [isOver, asked] = [false, 0];
      const readers = Array.from({ length: 8 }, async () => {
        while (!isOver) {
          expect(await number()).toBe(7);
          asked += 1;
        }
      });
      await pair.killReplica();
      const before = asked;
      await expect.poll(() => asked > before + 200, { timeout: 60_000 }).toBe(true);
      expect(await readsAt()).toBe('primary');
      expect(await database.answers.lookAtReplicas()).toEqual([
        { name: expect.stringMatching(/^127/), fault: expect.stringMatching(/^it does not answer/) },
      ]);
      await pair.startReplica();
      await expect.poll(readsAt, { timeout: 60_000 }).toBe('replica');
      isOver = true;
      await Promise.all(readers);
    },
    patience,
  );

  test(
    'one that says nothing any more keeps nobody waiting for long, and is used again',
    async () => {
      const proxy = await startSilentProxy(pair.replicaUrl);
      const behind = open({ ...pair, replicaUrl: proxy.url });
      const ask = async () => {
        const { rows } = await behind.answers.reader.raw('select pg_is_in_recovery() as "isReplica"');
        return rows[0].isReplica;
      };
      await expect.poll(ask, { timeout: 60_000 }).toBe(true);
      // More than there are connections.
      const asleep = Array.from({ length: 12 }, async () =>
        behind.answers.reader.raw('select pg_sleep(0.2), pg_is_in_recovery() as "isReplica"'),
      );
      proxy.silence();
      const answers = await Promise.all(asleep);
      expect(answers.map(({ rows }) => rows[0].isReplica)).toContain(false);
      expect(await ask()).toBe(false);
      proxy.heal();
      await expect.poll(ask, { timeout: 60_000 }).toBe(true);
      await behind.close();
      await proxy.close();
    },
    patience,
  );

  test('the rights of any user are enough', async () => {
    await pair.ask('primary', 'create role plain login');
    await pair.caughtUp();
    const [url, replicaUrl] = [new URL(pair.url), new URL(pair.replicaUrl)];
    for (const address of [url, replicaUrl]) address.username = 'plain';
    const plain = open({ ...pair, url: url.href, replicaUrl: replicaUrl.href });
    expect(await plain.answers.lookAtReplicas()).toMatchObject([{ fault: undefined }]);
    await plain.close();
  });

  test('the primary itself, and another server, are no replicas of it', async () => {
    const others = [pair.url, inject('postgresUrl'), 'postgres://nobody@127.0.0.1:1/x'];
    const alone = openDatabase({ client: 'pg', url: pair.url, poolSize: 4, replicaUrl: others });
    expect(await alone.answers.lookAtReplicas()).toMatchObject([
      { fault: 'it is not a replica: it takes changes itself' },
      { fault: 'it is not a replica of this database, but another one' },
      { fault: expect.stringMatching(/^it does not answer/), name: '127.0.0.1:1/x' },
    ]);
    const { rows } = await alone.answers.reader.raw('select 1 as one');
    expect(rows).toEqual([{ one: 1 }]);
    await alone.close();
  });
});
