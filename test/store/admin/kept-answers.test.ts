import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  freeKey,
  holdKey,
  keepAnswer,
  mostKeys,
  pruneAnswers,
  takeKey,
} from '../../../src/store/admin/kept-answers.ts';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const at = '2026-11-23T10:00:00Z';
const of = { who: 'token 1', key: '8e03978e' };
const answer = { status: 202, location: 'https://b.example/api/v1/tasks/1', mediaType: 'application/json' };

describeOnBoth('the key of a request', (open) => {
  const others: Database[] = [];
  beforeEach(() => open().database.writer('kept_answer').delete());
  afterEach(async () => {
    for (const one of others.splice(0)) await one.close();
  });

  test('is had once, then gives the first answer, and nothing to another request or account', async () => {
    const { database } = open();
    expect(await takeKey(database, of, 'a', at)).toBe('new');
    expect(await takeKey(database, of, 'a', at)).toBe('busy');
    expect(await takeKey(database, of, 'b', at)).toBe('other');
    await keepAnswer(database, of, { ...answer, etag: '"1"', body: '{"title":"雪"}' }, at);
    expect(await takeKey(database, of, 'a', '2026-11-24T10:00:00Z')).toEqual({
      ...answer,
      etag: '"1"',
      body: '{"title":"雪"}',
    });
    expect(await takeKey(database, of, 'b', at)).toBe('other');
    expect(await takeKey(database, { ...of, who: 'token 2' }, 'b', at)).toBe('new');
    // It was answered: nobody frees it, nor answers it in another way.
    await freeKey(database, of);
    await keepAnswer(database, of, { status: 500, body: '' }, at);
    expect(await takeKey(database, of, 'a', at)).toMatchObject({ status: 202 });
  });

  test('an answer that is not kept is told from an empty one', async () => {
    const { database } = open();
    for (const body of [undefined, '']) {
      const key = { who: 'token 1', key: String(body) };
      await takeKey(database, key, 'a', at);
      await keepAnswer(database, key, { status: 204, body }, at);
      expect(await takeKey(database, key, 'a', at)).toMatchObject({ status: 204, body });
    }
  });

  test('is free when it came to nothing, after a minute without a sign, and after a day', async () => {
    const { database } = open();
    await takeKey(database, of, 'a', at);
    await freeKey(database, of);
    expect(await takeKey(database, of, 'b', at)).toBe('new');
    await holdKey(database, of, '2026-11-23T10:00:40Z');
    expect(await takeKey(database, of, 'b', '2026-11-23T10:01:30Z')).toBe('busy');
    expect(await takeKey(database, of, 'c', '2026-11-23T10:01:41Z')).toBe('new');
    await keepAnswer(database, of, { ...answer, body: '' }, '2026-11-23T10:01:42Z');
    expect(await takeKey(database, of, 'd', '2026-11-24T10:01:42Z')).toBe('other');
    expect(await takeKey(database, of, 'd', '2026-11-24T10:01:43Z')).toBe('new');
  });

  test('of those that come at once by several connections one has it, also where one was given up', async () => {
    const { config, database } = open();
    // Of SQLite one process has one connection that writes.
    if (config.client === 'pg') for (let n = 0; n < 4; n += 1) others.push(openDatabase(config));
    const asking = config.client === 'pg' ? others : [database, database, database, database];
    for (const late of [at, '2026-11-23T10:05:00Z']) {
      const all = [...asking, ...asking, ...asking];
      const states = await Promise.all(all.map((one) => takeKey(one, of, 'a', late)));
      expect(states.sort()).toEqual([...Array<string>(11).fill('busy'), 'new']);
    }
    await keepAnswer(database, of, { ...answer, body: 'x' }, '2026-11-23T10:05:00Z');
    const again = await Promise.all(asking.map((one) => takeKey(one, of, 'a', '2026-11-23T10:05:01Z')));
    expect(again).toEqual(Array(4).fill({ ...answer, etag: undefined, body: 'x' }));
  });

  test('of one account the latest thousand are kept, and all for a day', async () => {
    const { database } = open();
    const second = (n: number) => new Date(Date.parse(at) + n * 1000).toISOString().replace('.000', '');
    const rows = Array.from({ length: mostKeys }, (_, n) => ({
      ...{ who: 'token 1', key: `k${n}`, request: 'a', status: 200, body: '', at: second(n) },
    }));
    await database.writer.batchInsert('kept_answer', rows, 100);
    await database.writer('kept_answer').insert({ ...rows[0], who: 'token 2' });
    const now = second(mostKeys);
    expect(await takeKey(database, { who: 'token 1', key: 'k0' }, 'a', now)).toMatchObject({ status: 200 });
    expect(await takeKey(database, of, 'a', now)).toBe('new');
    expect(await takeKey(database, { ...of, key: 'one more' }, 'a', second(mostKeys + 1))).toBe('new');
    expect(await takeKey(database, { who: 'token 1', key: 'k0' }, 'b', second(mostKeys + 1))).toBe('new');
    expect(await takeKey(database, { who: 'token 2', key: 'k0' }, 'b', now)).toBe('other');
    expect(await pruneAnswers(database, at)).toBe(0);
    const before = await database.reader('kept_answer').select('key');
    const gone = await pruneAnswers(database, '2026-11-24T10:05:00Z');
    expect(gone).toBeGreaterThan(250);
    expect(await database.reader('kept_answer').select('key')).toHaveLength(before.length - gone);
  });
});
