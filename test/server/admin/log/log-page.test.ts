import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NewLogLine, writeLog } from '../../../../src/store/presence/log-lines.ts';
import { addAccount, addToken, ask, dashboard, signIn } from '../../../house/server/dashboard.ts';
import { type House, openHouse } from '../../../house/server/fixture.ts';

let house: House;
let cookie: string;
let token: string;
const hostile = '<script>alert(1)</script>‮\u0000"><img src=x onerror=alert(1)>';

const line = (index: number, given: Partial<NewLogLine> = {}): NewLogLine => ({
  at: '2026-11-21T11:00:00.123Z',
  level: 'info',
  source: 'kyushu',
  run: index,
  process: 'work 7 host',
  message: `message ${index}`,
  fields: undefined,
  ...given,
});

beforeAll(async () => {
  house = await openHouse({ admin: dashboard });
  await addAccount(house);
  cookie = await signIn(house);
  token = await addToken(house, 'read');
  const lines = [
    ...Array.from({ length: 150 }, (_, index) => line(index + 1)),
    line(151, {
      level: 'error',
      source: hostile,
      message: hostile,
      fields: { reason: hostile, 題名: '雪国' },
    }),
  ];
  await house.database.transaction((trx) => writeLog(trx, lines));
});
afterAll(() => house.close());

const page = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await ask(house, `/rs/admin${path}`, { headers: { cookie, ...headers } });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};
const api = async (path: string) => {
  const answer = await ask(house, `/rs/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } });
  return { status: answer.status, link: answer.headers.get('link'), body: (await answer.json()) as never };
};

test('the log is told newest first, page by page, and what is hostile in it is text', async () => {
  const first = await page('/log');
  expect(first.text).not.toContain('<script>alert');
  expect(first.text).not.toContain('<img src=x');
  expect(first.text.indexOf('message 150')).toBeLessThan(first.text.indexOf('message 149'));
  expect(first.text).not.toContain('message 51<');
  const older = /rel="next" href="\/rs\/admin(\/log\?before=\d+)"/.exec(first.text)?.[1] ?? '';
  const second = await page(older);
  expect(second.text).toContain('message 51<');
  expect(second.text).not.toContain('rel="next"');
});

test('it is filtered, in English and Japanese, and a wrong filter says what is right', async () => {
  const found = await page('/log?source=kyushu&level=info&run=7&q=MESSAGE');
  expect(found.text.match(/<tr id=/g)).toHaveLength(1);
  expect(found.text).toContain('value="kyushu"');
  expect((await page('/log?q=雪国')).text.match(/<tr id=/g)).toHaveLength(1);
  expect((await page('/log?level=error&lang=ja')).text).toContain('エラー');
  expect((await page('/log?q=nothing')).text).toContain('There are no such lines.');
  expect(await page('/log?level=loud')).toMatchObject({ status: 400 });
  expect((await page('/log?run=x')).text).toContain('a run is a number');
});

test('a line has an address, with what was logged around it', async () => {
  const [id = ''] = /id="line-\d+/.exec((await page('/log?run=151')).text) ?? [];
  const number = id.replace('id="line-', '');
  const shown = await page(`/log/${number}`);
  expect(shown.text).toContain('&lt;script&gt;');
  expect(shown.text).toContain('雪国');
  expect(shown.text).toContain('message 150');
  expect(shown.text).toContain('message 141');
  expect(shown.text).not.toContain('message 140<');
  expect(await page('/log/999999999')).toMatchObject({ status: 404 });
  expect(await page('/log/x')).toMatchObject({ status: 404 });
});

test('it is downloaded whole, an object a line', async () => {
  const all = await page('/log.ndjson');
  expect(all.headers.get('content-type')).toBe('application/x-ndjson');
  expect(all.headers.get('content-disposition')).toContain('attachment');
  const lines = all.text
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text) as { message: string });
  expect(lines).toHaveLength(151);
  expect(lines[1]?.message).toBe('message 150');
  expect((await page('/log.ndjson?run=3')).text.trim().split('\n')).toHaveLength(1);
});

test('programs read the same, and what follows a line', async () => {
  const some = await api('/log?limit=2&source=kyushu');
  expect(some.body).toMatchObject({ lines: [{ message: 'message 150', level: 'info' }, { run: 149 }] });
  expect(some.link).toMatch(/\/api\/v1\/log\?source=kyushu&limit=2&before=\d+>; rel="next"/);
  const { lines } = some.body as { lines: { id: number }[] };
  const id = lines[1]?.id ?? 0;
  expect(await api(`/log/${id}`)).toMatchObject({ status: 200, body: { message: 'message 149' } });
  expect(await api('/log/2147483647')).toMatchObject({ status: 404 });
  const after = await api(`/log?after=${id}&limit=1`);
  expect(after.body).toMatchObject({ lines: [{ message: 'message 150' }] });
  expect(after.link).toContain(`after=${id + 1}`);
  expect(await api('/log?level=loud')).toMatchObject({ status: 400, body: { code: 'bad-request' } });
  expect((await ask(house, '/rs/api/v1/log')).status).toBe(401);
  expect((await ask(house, '/rs/admin/log.ndjson')).status).toBe(303);
});

test('messages of ours are told in the reader’s language, with the reason behind them', async () => {
  const reason = 'repo.example.org cannot be reached: there is no host named repo.example.org (ENOTFOUND)';
  const fields = { reason, code: 'upstream-unreachable' };
  const lines = [
    line(152, { level: 'warn', message: 'harvest stopped', fields }),
    line(153, { message: 'configuration read again: added kyushu' }),
  ];
  await house.database.transaction((trx) => writeLog(trx, lines));
  const { text } = await page('/log', { 'accept-language': 'ja' });
  expect(text).toContain('ハーベストが止まりました');
  expect(text).toContain(
    'repo.example.org に接続できません: repo.example.org という名前のホストは見つかりません · upstream-unreachable',
  );
  expect(text).toContain('設定を読み直しました: added kyushu');
  expect(text).toContain('<span lang="en">message 150</span>');
  expect((await page('/log')).text).toContain('harvest stopped');
});
