import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Installation } from '../../house/faults/installation.ts';
import { openRepositories, type Repositories } from '../../house/faults/repositories.ts';
import { addToken } from '../../house/server/dashboard.ts';
import { migratedPostgres } from '../../house/store/databases.ts';

describe.skipIf(process.platform === 'win32')('requests that are sent again to several processes', () => {
  let made: Awaited<ReturnType<typeof migratedPostgres>>;
  let repositories: Repositories;
  let house: Installation;

  beforeAll(async () => {
    made = await migratedPostgres();
    repositories = await openRepositories(['kyoto'], 10);
    house = new Installation(repositories, made.config.client === 'pg' ? made.config.url : '');
  });
  afterAll(async () => {
    await house.close();
    await repositories.close();
    await made.drop();
  });

  test('act once, whichever process they come to, and are answered alike by all', async () => {
    const processes = await Promise.all([house.serve({ role: 'web' }), house.serve({ role: 'web' })]);
    const token = await addToken(house, 'run');
    const send = async (url: string, key: string) => {
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      };
      const answer = await fetch(`${url}/api/v1/sources/kyoto/runs`, {
        ...{ method: 'POST', headers, body: JSON.stringify({ kind: 'full' }) },
      });
      return { status: answer.status, place: answer.headers.get('location'), text: await answer.text() };
    };
    const keys = Array.from({ length: 10 }, (_, n) => `"run ${n}"`);
    for (const key of keys) {
      const answers = await Promise.all(
        [...processes, ...processes, ...processes].map(({ url }) => send(url, key)),
      );
      const done = answers.filter(({ status }) => status === 202);
      expect(done.length).toBeGreaterThanOrEqual(1);
      expect(answers.filter(({ status }) => status !== 202 && status !== 409)).toEqual([]);
      for (const { url } of processes) expect(await send(url, key)).toEqual(done[0]);
      expect(new Set(done.map(({ place }) => place)).size).toBe(1);
    }
    const asked = await house.database.reader('asked').where({ source: 'kyoto' });
    expect(asked).toHaveLength(keys.length);
  });
});
