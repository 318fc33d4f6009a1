import { afterEach, beforeEach, expect, test } from 'vitest';
import { causeOf, type Problem, rawRecord } from '../../../../src/core/problem.ts';
import type { Unreadable } from '../../../../src/store/runs/unreadable.ts';
import { storeUnreadable } from '../../../../src/store/runs/unreadable.ts';
import { causeId } from '../../../../src/store/runs/unreadable-causes.ts';
import { ensureSource, findSource } from '../../../../src/store/sources/sources.ts';
import {
  addAccount,
  addToken,
  ask,
  dashboard,
  noActs,
  ownForm,
  signIn,
} from '../../../house/server/dashboard.ts';
import { type House, now, openHouse, sourceOverview } from '../../../house/server/fixture.ts';

let house: House;
let cookie: string;
let asked: { readonly kind: string; readonly what?: readonly string[] }[];
const hostile = '"><script>alert(1)</script>\u202e=1+1';
const long = `<record><title>${'長'.repeat(400)} & ${'x'.repeat(400)}</title></record>`;

const bad = (
  identifier: string | undefined,
  text: string,
  reason: string,
  more: Partial<Problem> = {},
): Problem => ({
  code: 'record-quarantined',
  message: `${identifier === undefined ? 'A record' : `The record ${identifier}`} cannot be read: ${reason}.`,
  format: 'oai_dc',
  raw: rawRecord(text),
  ...(identifier === undefined ? {} : { identifier }),
  ...more,
});

beforeEach(async () => {
  asked = [];
  const acts = {
    ...noActs,
    ask: async (_: readonly string[], what: (typeof asked)[number]) => {
      asked.push(what);
      return [];
    },
  };
  house = await openHouse({ admin: { ...dashboard, acts } });
  house.sources.push(sourceOverview({ name: 'kyushu' }), sourceOverview({ name: 'new' }));
  await addAccount(house);
  cookie = await signIn(house);
  await ensureSource(house.database, 'kyushu', now);
  const id = (await findSource(house.database.reader, 'kyushu'))?.id ?? 0;
  const problems = [
    ...Array.from({ length: 30 }, (_, index) =>
      bad(`oai:a:${index}`, `<record>\n<dc>a</dd>\n</record>`, 'unexpected close tag', {
        repairs: ['characters that XML forbids were replaced'],
      }),
    ),
    bad('oai:long:1', long, 'another cause'),
    bad(`oai:h:${hostile}`, `<record>${hostile}<a\u0008>&nope;</record>`, hostile, { repairs: [hostile] }),
    bad(undefined, '<record>nameless', 'it does not end'),
  ];
  const met = { run: { id: 7 }, at: now };
  await house.database.transaction((trx) => storeUnreadable(trx, id, problems, [], met));
});
afterEach(() => house.close());

const page = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await ask(house, `/rs/admin/sources/${path}`, { headers: { cookie, ...headers } });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};
const cause = (reason: string) =>
  causeId(causeOf({ identifier: 'id:0', message: `The record id:0 cannot be read: ${reason}.` }));

test('records are gathered by their cause, whatever they are called, and the place that is wrong is marked', async () => {
  const { text } = await page('kyushu/problems');
  expect(text).toContain(
    `<bdi>The record … cannot be read: unexpected close tag.</bdi></a> <span class="soft mono">record-quarantined</span></td><td class="n">30</td>`,
  );
  expect(text).toContain('line 2, column 6, byte 14: markup that does not fit');
  expect(text).toContain('<span class="l" data-n="2">&lt;dc&gt;a<mark>&lt;/dd&gt;</mark>\n</span>');
  expect(text.match(/class="card"/g)).toHaveLength(20);
  const next = /rel="next" href="\/rs\/admin\/sources\/([^"]+)"/.exec(text)?.[1] ?? '';
  const second = await page(next.replaceAll('&amp;', '&'));
  expect(second.text.match(/class="card"/g)).toHaveLength(13);
  // A record of one line is cut on both sides, with the place in the middle.
  expect(second.text).toMatch(/<span class="l" data-n="1">… 長{200,300} <mark>&amp;<\/mark> x{200,300} …/);
  expect(second.text).not.toContain('x'.repeat(350));
  expect((await page('kyushu/problems?lang=ja')).text).toContain('2 行 6 文字目（14 バイト目）');
  expect((await page('new/problems')).text).toContain('Every record could be read.');
});

test('the records of one cause are shown alone, and a cause that is no more is said to be none', async () => {
  const { text } = await page(`kyushu/problems?cause=${cause('another cause')}`);
  expect(text.match(/class="card"/g)).toHaveLength(1);
  expect(text).toContain('oai:long:1');
  expect((await page('kyushu/problems?cause=nothing')).status).toBe(404);
});

test('a record has a page: what was mended, every place, the whole of it, and what cannot be seen', async () => {
  const list = (await page(`kyushu/problems?cause=${cause('unexpected close tag')}`)).text;
  const path = /href="\/rs\/admin\/sources\/(kyushu\/problems\/\d+)"/.exec(list)?.[1] ?? '';
  const shown = await page(path);
  expect(shown.text).toContain('characters that XML forbids were replaced');
  expect(shown.text).toContain('<mark>&lt;/dd&gt;</mark>');
  const hostileList = (await page('kyushu/problems?after=31')).text;
  const hostilePath = /href="\/rs\/admin\/sources\/(kyushu\/problems\/\d+)"/.exec(hostileList)?.[1] ?? '';
  const { text } = await page(hostilePath);
  expect(text).toContain('<span class="u">U+202E</span>');
  expect(/<h1>(.*)<\/h1>/.exec(text)?.[1]).toContain('U+202E=1+1');
  expect(text).toContain('<mark><span class="u">U+0008</span></mark>');
  expect(text).toContain('<mark>&amp;nope;</mark>');
  for (const one of [hostileList, text]) expect(one).not.toContain('<script>alert');
  expect((await page('kyushu/problems/999999')).status).toBe(404);
  expect((await page('kyushu/problems/x')).status).toBe(404);
  expect((await page('new/problems/1')).status).toBe(404);
});

test('they are downloaded for spreadsheets, and nothing in the file is a formula', async () => {
  const { headers, text } = await page('kyushu/problems.csv');
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(headers.get('content-disposition')).toContain('attachment');
  const lines = text
    .replace(/^\uFEFF/, '')
    .trimEnd()
    .split('\r\n');
  expect(lines).toHaveLength(34);
  expect(lines[0]).toBe('identifier,format,code,cause,message,repairs,firstSeenAt,lastSeenAt,run,bytes');
  expect(lines[1]).toMatch(
    /^oai:a:0,oai_dc,record-quarantined,The record … cannot be read: unexpected close tag\.,/,
  );
  for (const line of lines) expect(line).not.toMatch(/(^|,)"?[=+\-@]/);
  const some = (await page(`kyushu/problems.csv?cause=${cause('another cause')}`)).text;
  expect(some.trimEnd().split('\r\n')).toHaveLength(2);
  expect((await page('new/problems.csv')).text.trimEnd().split('\r\n')).toHaveLength(1);
  expect((await page('nobody/problems.csv')).status).toBe(404);
});

test('one is tried again, or all of a cause, or all; those who may only look have no button', async () => {
  const act = (form: Record<string, string>) =>
    ask(house, '/rs/admin/sources/kyushu/problems', { form, headers: { cookie, ...ownForm } });
  const common = 'The record … cannot be read: unexpected close tag.';
  for (const form of [{ item: 'oai:a:1' }, { cause: causeId(common) }, { all: '1' }])
    expect((await act(form)).status).toBe(303);
  expect(asked).toEqual([
    { kind: 'item', what: ['oai:a:1'] },
    { kind: 'problems', what: [common] },
    { kind: 'problems' },
  ]);
  expect((await act({ cause: 'nothing' })).status).toBe(404);
  expect(asked).toHaveLength(3);
  await addAccount(house, 'looker', 'read');
  const looker = await signIn(house, 'looker');
  expect((await page('kyushu/problems', { cookie: looker })).text).not.toContain('<button name="cause"');
  const form = { cause: causeId(common) };
  const refused = await ask(house, '/rs/admin/sources/kyushu/problems', {
    form,
    headers: { cookie: looker, ...ownForm },
  });
  expect(refused.status).toBe(403);
});

test('programs get the same', async () => {
  const authorization = `Bearer ${await addToken(house, 'run')}`;
  const api = (path: string, body?: object) =>
    ask(house, `/rs/api/v1/sources/kyushu/problems${path}`, {
      headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
  const listed = await api(`?limit=2&cause=${cause('unexpected close tag')}`);
  const { causes, problems } = (await listed.json()) as { causes: { id: string }[]; problems: Unreadable[] };
  expect(causes).toHaveLength(4);
  expect(problems.map(({ identifier }) => identifier)).toEqual(['oai:a:0', 'oai:a:1']);
  expect(listed.headers.get('link')).toContain(`cause=${cause('unexpected close tag')}&limit=2&after=2>`);
  const one = await api(`/${problems[0]?.id}`);
  expect(await one.json()).toMatchObject({
    identifier: 'oai:a:0',
    repairs: ['characters that XML forbids were replaced'],
    faults: [{ kind: 'markup', line: 2, column: 6, byte: 14, message: 'unexpected close tag.' }],
  });
  expect((await api('/999999')).status).toBe(404);
  expect((await (await api('.csv')).text()).trimEnd().split('\r\n')).toHaveLength(34);
  expect((await api('', {})).status).toBe(400);
  expect((await api('', { item: 'a', all: true })).status).toBe(400);
  expect((await api('', { cause: 'nothing' })).status).toBe(404);
});
