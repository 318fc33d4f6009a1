import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { endSession, listSessions } from '../../../../src/store/admin/sessions.ts';
import { listTokens, revokeToken } from '../../../../src/store/admin/tokens.ts';
import { type NewLogLine, writeLog } from '../../../../src/store/presence/log-lines.ts';
import { giveSign } from '../../../../src/store/presence/processes.ts';
import { type Told, tellUnderWay } from '../../../../src/store/presence/under-way.ts';
import { addAccount, addToken, ask, dashboard, signIn } from '../../../house/server/dashboard.ts';
import { type Followed, follow } from '../../../house/server/events.ts';
import { type House, now, openHouse, sourceOverview } from '../../../house/server/fixture.ts';

let house: House;
let cookie: string;
const open: Followed[] = [];

beforeEach(async () => {
  house = await openHouse({ admin: dashboard });
  house.sources.push(sourceOverview({ name: 'kyushu' }), sourceOverview({ name: 'other' }));
  await addAccount(house);
  cookie = await signIn(house);
  const sign = {
    holder: 'host x/7/y',
    role: 'work',
    version: '1',
    knows: '',
    startedAt: now,
    memory: 1,
    heldUp: 0,
  } as const;
  await giveSign(house.database.writer, sign);
});

afterEach(async () => {
  for (const one of open.splice(0)) one.close();
  await house.close();
});

const told = (given: Partial<Told> = {}): Told => ({
  ...{ number: 1, kind: 'harvest', source: 'kyushu', set: undefined, phase: 'reading', run: 7 },
  ...{ done: 12_400, expected: 20_000, perMinute: 2310, requests: 124, window: { list: 'oai_dc' } },
  ...{ began: Date.parse(now) - 60_000, seen: Date.parse(now) },
  ...given,
});
const tell = (some: readonly Told[], ended: readonly number[] = []) =>
  house.database.transaction((trx) => tellUnderWay(trx, 'host x/7/y', { told: some, ended }));
const line = (message: string, given: Partial<NewLogLine> = {}): NewLogLine => ({
  ...{ at: now, level: 'warn', source: 'kyushu', run: 7, process: 'work 7 host', message, fields: undefined },
  ...given,
});
const log = (...lines: readonly NewLogLine[]) => house.database.transaction((trx) => writeLog(trx, lines));

async function listen(path: string, headers: Record<string, string> = { cookie }): Promise<Followed> {
  const followed = await follow(`${await house.origin()}${path}`, headers);
  open.push(followed);
  return followed;
}
/** The parts as a browser would have them now. */
const partsOf = ({ events }: Followed): Record<string, string> =>
  Object.assign({}, ...events.filter(({ event }) => event === 'parts').map(({ data }) => data));

test('a page is told what has changed, and how far a harvest is that another process does', async () => {
  const page = await listen('/rs/admin/live?view=activity');
  expect(page.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(page.headers.get('x-accel-buffering')).toBe('no');
  await vi.waitFor(() => expect(partsOf(page).works).toContain('Nothing is under way.'), 60_000);
  expect(page.text()).toMatch(/^retry: \d+\n\n/);
  await tell([told()]);
  await vi.waitFor(() => expect(partsOf(page).works).toContain('12,400 of about 20,000'), 60_000);
  expect(partsOf(page).works).toMatch(/39 a second · 124 requests · about 3 min left/);
  const before = page.events.length;
  await tell([told({ done: 12_500 })]);
  await vi.waitFor(() => expect(partsOf(page).works).toContain('12,500 of about'), 60_000);
  expect(Object.keys(page.events.at(before)?.data as object)).toEqual(['works']);
  await tell([], [1]);
  await vi.waitFor(() => expect(partsOf(page).works).toContain('Nothing is under way.'), 60_000);
});

test('the table and the page of a source are told of that source, in the language of the reader', async () => {
  await tell([told()]);
  const [table, page] = [
    await listen('/rs/admin/live?view=sources&names=kyushu'),
    await listen('/rs/admin/live?view=source&source=kyushu&lang=ja'),
  ];
  await vi.waitFor(
    () => expect(partsOf(table)['state kyushu']).toContain('reads what is new: 12,400 of'),
    60_000,
  );
  expect(Object.keys(partsOf(table))).toEqual(['state kyushu']);
  await vi.waitFor(() => expect(partsOf(page).works).toContain('約 20,000 件中 12,400 件'), 60_000);
  const figures = ['lastSuccess', 'items', 'resources', 'changes'];
  expect(Object.keys(partsOf(page))).toEqual(['state', 'works', ...figures]);
});

test('programs are told what is under way and what is logged, and go on behind the last line', async () => {
  const bearer = { authorization: `Bearer ${await addToken(house, 'read')}` };
  await log(line('before'));
  const first = await listen('/rs/api/v1/events?source=kyushu', bearer);
  const lines = ({ events }: Followed) =>
    events.flatMap(({ event, data }) => (event === 'line' ? [(data as NewLogLine).message] : []));
  await vi.waitFor(
    () => expect(first.events).toMatchObject([{ event: 'works', data: { works: [] } }]),
    60_000,
  );
  await log(line('one'), line('elsewhere', { source: 'other' }), line('two'));
  await vi.waitFor(() => expect(lines(first)).toEqual(['one', 'two']), 60_000);
  const id = first.events.find(({ data }) => (data as NewLogLine).message === 'one')?.id;
  first.close();
  await log(line('three'));
  const second = await listen('/rs/api/v1/events?source=kyushu', { ...bearer, 'last-event-id': String(id) });
  await vi.waitFor(() => expect(lines(second)).toEqual(['two', 'three']), 60_000);
  const third = await listen(`/rs/api/v1/events?last=${id}`, bearer);
  await vi.waitFor(() => expect(lines(third)).toEqual(['elsewhere', 'two', 'three']), 60_000);
  await tell([told()]);
  await vi.waitFor(
    () =>
      expect(third.events.at(-1)).toMatchObject({
        event: 'works',
        data: { works: [{ done: 12_400, source: 'kyushu' }] },
      }),
    60_000,
  );
});

test('a stream ends with the session, with the token, and with the server', async () => {
  const token = await addToken(house, 'read');
  const page = await listen('/rs/admin/live?view=activity');
  const program = await listen('/rs/api/v1/events', { authorization: `Bearer ${token}` });
  await vi.waitFor(() => expect(page.events.length * program.events.length).toBeGreaterThan(0), 60_000);
  const [session] = await listSessions(house.database.reader, now);
  await endSession(house.database, session?.hash ?? '');
  await vi.waitFor(() => expect(page.isOver()).toBe(true), 60_000);
  expect(page.events.at(-1)?.event).toBe('end');
  const [known] = await listTokens(house.database.reader);
  await revokeToken(house.database, known?.id ?? 0);
  await vi.waitFor(() => expect(program.isOver()).toBe(true), 60_000);
  const last = await listen('/rs/admin/live?view=activity', { cookie: await signIn(house) });
  await vi.waitFor(() => expect(last.events).not.toEqual([]), 60_000);
  const closing = house.app.close();
  await vi.waitFor(() => expect(last.isOver()).toBe(true), 60_000);
  await closing;
});

test('nobody looks on without a session or a token, nor at what there is not, nor too many at once', async () => {
  const status = async (path: string, headers = {}) => (await ask(house, path, { headers })).status;
  expect(await status('/rs/admin/live?view=activity')).toBe(303);
  expect(await status('/rs/api/v1/events')).toBe(401);
  expect(await status('/rs/admin/live?view=__proto__', { cookie })).toBe(400);
  expect(await status('/rs/api/v1/events?level=loud', { cookie })).toBe(400);
  for (let index = 0; index < 20; index += 1) await listen('/rs/admin/live?view=activity');
  const refused = await ask(house, '/rs/admin/live?view=activity', { headers: { cookie } });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30']);
  open.splice(0, 1)[0]?.close();
  await vi.waitFor(async () => {
    const again = await listen('/rs/admin/live?view=activity').catch(() => undefined);
    expect(again?.headers.get('content-type')).toContain('event-stream');
  }, 60_000);
});

test('what nobody asked for is not read', async () => {
  const before = await house.database.reader('admin_session').first();
  const page = await listen('/rs/admin/live?view=source&source=nothing');
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(page.events).toEqual([]);
  // To look on is no use of a session.
  expect(await house.database.reader('admin_session').first()).toEqual(before);
});
