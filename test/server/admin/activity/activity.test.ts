import { afterEach, beforeEach, expect, test } from 'vitest';
import { restHost } from '../../../../src/store/hosts/host-news.ts';
import { giveSign } from '../../../../src/store/presence/processes.ts';
import { tellUnderWay } from '../../../../src/store/presence/under-way.ts';
import { addAccount, addToken, ask, dashboard, signIn } from '../../../house/server/dashboard.ts';
import { type House, now, openHouse } from '../../../house/server/fixture.ts';

let house: House;
const ms = Date.parse(now);
const hostile = '<script>alert(1)</script>';

const noAlerts = { counted: [], waiting: 0, active: [], backupAt: undefined };

beforeEach(async () => {
  house = await openHouse({
    admin: dashboard,
    pages: { language: 'en', timeZone: 'Asia/Tokyo' },
    search: { has: () => true },
    measures: async () => ({
      ...{ sources: [], databaseBytes: 1, walBytes: 1, disks: [], alerts: noAlerts },
      queue: [
        {
          kind: 'harvest',
          waiting: 3,
          running: 1,
          waitingSince: ms - 3_600_000,
          failing: 2,
          nextAt: ms + 60_000,
        },
        {
          kind: 'something-new',
          waiting: 0,
          running: 0,
          waitingSince: undefined,
          failing: 0,
          nextAt: undefined,
        },
      ],
    }),
  });
  await addAccount(house);
  const { writer } = house.database;
  const sign = {
    role: 'work',
    version: '1.2.3',
    knows: '',
    startedAt: now,
    memory: 123_000_000,
    heldUp: 45,
  } as const;
  await giveSign(writer, { ...sign, holder: 'mill x/7/y' });
  await restHost(house.database, 'slow.example', 3_600_000, hostile);
  await house.database.transaction((trx) =>
    tellUnderWay(trx, 'mill x/7/y', {
      told: [
        {
          ...{ number: 1, kind: 'full', source: 'kyushu', set: undefined, phase: 'reading', run: 7, done: 5 },
          ...{ expected: 10, perMinute: 1, requests: 2, began: ms - 60_000, seen: ms },
          window: { list: `oai_dc ${hostile}`, from: '2026-01-01T00:00:00Z' },
        },
        {
          ...{ number: 2, kind: 'dumps', source: '', set: 'sets/all', phase: 'resourceDump', run: undefined },
          ...{ done: 5, expected: undefined, perMinute: undefined, requests: undefined, window: undefined },
          ...{ began: ms - 50_000, seen: ms },
        },
      ],
      ended: [],
    }),
  );
});

afterEach(() => house.close());

test('the page says what is under way and due, who works, and whom nobody asks; in both languages', async () => {
  const cookie = await signIn(house);
  const text = async (lang: string) =>
    (await ask(house, `/rs/admin/activity?lang=${lang}`, { headers: { cookie } })).text();
  const page = await text('en');
  for (const said of [
    '5 of about 10 · 1 a minute · 2 requests · about 5 min left',
    'sets/all',
    'Reading what is new',
    'something-new',
    '1 hour ago',
    '20:00 JST (11:00 UTC)',
    'mill',
    '123 MB',
    'slow.example',
    'Everything can be found by words.',
  ])
    expect(page).toContain(said);
  expect(page).not.toContain(hostile);
  const japanese = await text('ja');
  for (const said of ['約 10 件中 5 件 · 毎分 1 件', '残り約 5 分', '差分ハーベスト', '検索できます'])
    expect(japanese).toContain(said);
});

test('the page has one script, whose hash stands in its policy, and listens to this server alone', async () => {
  const cookie = await signIn(house);
  const answer = await ask(house, '/rs/admin/activity', { headers: { cookie } });
  expect(answer.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; connect-src 'self'; img-src data:; /,
  );
  expect(await answer.text()).toContain('data-events="/rs/admin/live?view=activity&amp;lang=en"');
});

test('programs read the same', async () => {
  const authorization = `Bearer ${await addToken(house, 'read')}`;
  const answer = await ask(house, '/rs/api/v1/activity', { headers: { authorization } });
  expect(await answer.json()).toMatchObject({
    works: [
      { kind: 'full', source: 'kyushu', run: 7, done: 5, expected: 10, perMinute: 1, requests: 2 },
      { kind: 'dumps', set: 'sets/all', done: 5 },
    ],
    queue: [{ kind: 'harvest', waiting: 3, failing: 2, waitingSince: '2026-11-21T11:00:00.000Z' }, {}],
    processes: [{ role: 'work', host: 'mill', pid: 7, memoryBytes: 123_000_000, heldUpMs: 45 }],
    resting: [{ host: 'slow.example', reason: hostile }],
    search: { done: 0, total: 0 },
  });
  expect((await ask(house, '/rs/api/v1/activity')).status).toBe(401);
});
