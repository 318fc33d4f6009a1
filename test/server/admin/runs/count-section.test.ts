import { afterEach, beforeEach, expect, test } from 'vitest';
import { ensureSource, findSource } from '../../../../src/store/sources/sources.ts';
import { addAccount, addToken, ask, dashboard, signIn } from '../../../house/server/dashboard.ts';
import { type House, now, openHouse, sourceOverview } from '../../../house/server/fixture.ts';

let house: House;
let cookie: string;
let id: number;

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
const count = (name: string, day: string, value: number) =>
  house.database.writer('series').insert({ source_id: id, name, day, value });

test('counts are drawn, said in a sentence, and stand in a table; in both languages', async () => {
  await count('items', '2026-11-01', 1000);
  await count('items', '2026-11-20', 1234);
  await count('records', '2026-11-20', 1200);
  await count('stated', '2026-11-20', 1203);
  const english = await page('kyushu?lang=en');
  expect(english).toContain(
    'On 2026-11-20 a harvest of everything read 1,200 records: 3 fewer than the repository says that it has (1,203).',
  );
  expect(english).toContain(
    '<svg class="curve" viewBox="0 0 608 88" role="img" aria-label="Items known here, deleted ones included: 1,000 on 2026-11-01, 1,234 on 2026-11-20, between 1,000 and 1,234"><g><path d="M4 84L604 4"/></g></svg>',
  );
  // Of one day there is no line.
  expect(english).toContain(
    '<g><path d="M304 84"/><circle cx="304" cy="84" r="3"/></g><g class="d"><path d="M304 4"/><circle cx="304" cy="4" r="3"/></g>',
  );
  expect(english).toContain(
    '<td>2026-11-20</td><td class="n">1,234</td><td class="n">1,200</td><td class="n">1,203</td><td class="n">−3</td>',
  );
  expect(english).toContain(
    '<td>2026-11-01</td><td class="n">1,000</td><td class="n">–</td><td class="n">–</td><td class="n">–</td>',
  );
  const japanese = await page('kyushu?lang=ja');
  expect(japanese).toContain('リポジトリ自身が示す件数（1,203 件）より 3 件少なくなっています。');
  expect(japanese).toContain('2026-11-01 に 1,000 件、2026-11-20 に 1,234 件');
});

test('what is not known is said, and what grows or agrees', async () => {
  expect(await page('new?lang=en')).toContain('Nothing yet: what there is');
  await count('items', '2026-11-19', 5);
  expect(await page('kyushu?lang=en')).toContain('There is no count of the repository’s own');
  await count('records', '2026-11-19', 5);
  await count('stated', '2026-11-19', 5);
  expect(await page('kyushu?lang=en')).toContain(
    'read 5 records: as many as the repository says that it has.',
  );
  await count('records', '2026-11-20', 7);
  await count('stated', '2026-11-20', 5);
  expect(await page('kyushu?lang=en')).toContain('read 7 records: 2 more than the repository says');
  // Of more than a year ago only programs are told.
  await count('items', '2025-01-01', 1);
  expect(await page('kyushu?lang=en')).not.toContain('2025-01-01');
});

test('the page shows fifty days at most', async () => {
  const days = Array.from({ length: 80 }, (_, index) =>
    new Date(Date.parse('2026-09-01') + index * 86_400_000).toISOString().slice(0, 10),
  );
  for (const day of days) await count('items', day, 5);
  const text = await page('kyushu?lang=en');
  expect(text.match(/<tr><td>2026-/g)).toHaveLength(50);
  expect(text).toContain(`<td>${days.at(-1)}</td>`);
  // All are the same: in the middle.
  expect(text).toContain('<path d="M4 44L');
});

test('programs read the counts and the difference', async () => {
  await count('items', '2026-11-20', 1234);
  await count('records', '2026-11-20', 1200);
  await count('stated', '2026-11-20', 1203);
  const day = { day: '2026-11-20', records: 1200, stated: 1203 };
  expect(await (await api('kyushu/counts')).json()).toEqual({
    counts: [{ ...day, items: 1234 }],
    difference: { ...day, difference: -3 },
  });
  expect(await (await api('new/counts')).json()).toEqual({ counts: [] });
  expect((await api('nowhere/counts')).status).toBe(404);
});

test('of one day nothing is said to have changed', async () => {
  await count('items', '2026-11-20', 1);
  const english = await page('kyushu?lang=en');
  expect(english).toContain('Items known here, deleted ones included: 1 on 2026-11-20</figcaption>');
  expect(english).toContain('(the one day that was counted)');
});
