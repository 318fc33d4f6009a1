import { afterEach, beforeEach, expect, test } from 'vitest';
import { addHarvests } from '../../../../src/store/oai/harvesters.ts';
import { ensureSource, findSource } from '../../../../src/store/sources/sources.ts';
import { addAccount, addToken, ask, dashboard, signIn } from '../../../house/server/dashboard.ts';
import { type House, now, openHouse, sourceOverview } from '../../../house/server/fixture.ts';

let house: House;
let cookie: string;
let id: number;
const hostile = '<script>alert(1)</script>';

beforeEach(async () => {
  house = await openHouse({ admin: dashboard });
  house.sources.push(sourceOverview({ name: 'kyushu' }), sourceOverview({ name: 'new' }));
  await addAccount(house);
  cookie = await signIn(house);
  await ensureSource(house.database, 'kyushu', now);
  id = (await findSource(house.database.reader, 'kyushu'))?.id ?? 0;
});
afterEach(() => house.close());

const page = async (path: string) =>
  (await ask(house, `/rs/admin/sources/${path}`, { headers: { cookie } })).text();
const api = async (path: string) => {
  const authorization = `Bearer ${await addToken(house, 'read')}`;
  return ask(house, `/rs/api/v1/sources/${path}`, { headers: { authorization } });
};

test('who harvests a source is told on its page, as text, and to programs', async () => {
  expect(await page('kyushu?lang=en')).not.toContain('Who harvests it by OAI-PMH');
  const one = {
    ...{ sourceId: id, sender: 'me@example.org', requests: 3, records: 1200 },
    ...{ firstAt: '2026-11-01T10:00:00Z', lastAt: '2026-11-21T11:00:00Z', lastFrom: '2026-11-20T00:00:00Z' },
  };
  await addHarvests(house.database, [
    { ...one, agent: `metha/0.3 ${hostile}` },
    { ...one, agent: '', sender: '', lastFrom: undefined, lastAt: '2026-11-20T11:00:00Z' },
  ]);
  const english = await page('kyushu?lang=en');
  expect(english).toContain('Who harvests it by OAI-PMH');
  expect(english).not.toContain(hostile);
  expect(english).toContain('<bdi>metha/0.3 &lt;script&gt;');
  expect(english).toContain('<td class="n">1,200</td><td class="n">3</td>');
  expect(english).toContain('(says no name)');
  expect(english).toContain('<td>everything</td>');
  expect(await page('kyushu?lang=ja')).toContain('OAI-PMH のハーベスタ');
  const { harvesters } = (await (await api('kyushu/harvesters')).json()) as { harvesters: object[] };
  const { sourceId: _, ...told } = one;
  expect(harvesters).toEqual([
    { ...told, agent: `metha/0.3 ${hostile}` },
    expect.objectContaining({ agent: '', lastAt: '2026-11-20T11:00:00Z' }),
  ]);
  expect(harvesters[1]).not.toHaveProperty('lastFrom');
  expect(await (await api('new/harvesters')).json()).toEqual({ harvesters: [] });
  await addHarvests(
    house.database,
    Array.from({ length: 60 }, (_, index) => ({ ...one, agent: `made up ${index}` })),
  );
  const many = await page('kyushu?lang=en');
  expect(many.match(/<bdi>made up /g)?.length).toBeLessThanOrEqual(50);
  expect(many).toContain('… and 12 more, who came longer ago.');
});
