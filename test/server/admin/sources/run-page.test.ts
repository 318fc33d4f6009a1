import { afterEach, beforeEach, expect, test } from 'vitest';
import { BridgeError } from '../../../../src/core/errors.ts';
import { addRequests, endRun, startRun } from '../../../../src/store/runs/runs.ts';
import { noteSettings } from '../../../../src/store/sources/run-settings.ts';
import { ensureSource, findSource } from '../../../../src/store/sources/sources.ts';
import { addAccount, addToken, ask, dashboard, signIn } from '../../../house/server/dashboard.ts';
import { type House, now, openHouse, sourceOverview } from '../../../house/server/fixture.ts';

let house: House;
let cookie: string;
let runs: number[];
const hostile = '<script>alert(1)</script>';

beforeEach(async () => {
  house = await openHouse({ admin: dashboard });
  house.sources.push(sourceOverview({ name: 'kyushu' }), sourceOverview({ name: 'new' }));
  await addAccount(house);
  cookie = await signIn(house);
  const { writer } = house.database;
  await ensureSource(house.database, 'kyushu', now);
  const sourceId = (await findSource(house.database.reader, 'kyushu'))?.id ?? 0;
  runs = [];
  for (const [index, items] of [1200, 1150].entries()) {
    const startedAt = `2026-11-${20 + index}T10:00:00Z`;
    const run = await startRun(writer, {
      ...{ sourceId, mode: 'full', selection: '{}', since: undefined, startedAt },
    });
    runs.push(run.id);
    await writer('run').where({ id: run.id }).update({ items, stated_total: 1200 });
    await addRequests(writer, run.id, 10 + index * 5);
    await noteSettings(writer, run, [['formats', index === 0 ? ['oai_dc'] : [hostile]]]);
    const error = index === 0 ? undefined : new BridgeError('oai-list-incomplete', hostile);
    const state = index === 0 ? 'succeeded' : 'needs-attention';
    const at = `2026-11-${20 + index}T1${index}:00:48Z`;
    await endRun(writer, run.id, { state, at, error });
  }
});
afterEach(() => house.close());

const page = async (path: string) => {
  const answer = await ask(house, `/rs/admin/sources/${path}`, { headers: { cookie } });
  return { status: answer.status, text: await answer.text() };
};

test('a run stands beside the one before, with what was more and less, and the settings that were changed', async () => {
  const [first, second] = runs;
  const list = (await page('kyushu?lang=en')).text;
  expect(list).toContain(
    `<a href="/rs/admin/sources/kyushu/runs/${second}" aria-label="compare run ${second} with the one before">compare</a>`,
  );
  const { text } = await page(`kyushu/runs/${second}?lang=en`);
  expect(text).toContain(`<h1>Run ${second}</h1>`);
  expect(text).toContain(`Run ${first} and run ${second} beside one another`);
  for (const row of [
    '<th scope="row">Took</th><td class="n">48 s</td><td class="n">1 h 00 min</td><td class="n">+1 h 00 min</td>',
    '<th scope="row">Records read</th><td class="n">1,200</td><td class="n">1,150</td><td class="n">−50</td>',
    '<th scope="row">Records by the repository’s own count</th><td class="n">1,200</td><td class="n">1,200</td><td class="n">0</td>',
    '<th scope="row">Requests to the repository</th><td class="n">10</td><td class="n">15</td><td class="n">+5</td>',
    '<td class="mono any">[&quot;oai_dc&quot;]</td>',
  ])
    expect(text).toContain(row);
  expect(text).not.toContain(hostile);
  const japanese = (await page(`kyushu/runs/${second}?lang=ja`)).text;
  expect(japanese).toContain('この 2 回の間に変わった設定');
  expect((await page(`kyushu/runs/${first}?with=${second}`)).text).toContain('−50');
});

test('the first run stands alone, and what there is not is said to be none', async () => {
  const [first] = runs;
  const { status, text } = await page(`kyushu/runs/${first}?lang=en`);
  expect(status).toBe(200);
  expect(text).toContain('There is no run of the same kind before it');
  expect(text).not.toContain('Difference');
  for (const path of ['kyushu/runs/9999', `kyushu/runs/x`, `new/runs/${first}`, `nowhere/runs/${first}`])
    expect([path, (await page(path)).status]).toEqual([path, 404]);
  expect((await page(`kyushu/runs/${first}?with=9999`)).status).toBe(404);
  expect((await page(`kyushu/runs/${first}?with=x`)).status).toBe(404);
});

test('programs read the same', async () => {
  const [first, second] = runs;
  const authorization = `Bearer ${await addToken(house, 'read')}`;
  const read = (path: string) => ask(house, `/rs/api/v1/sources/${path}`, { headers: { authorization } });
  expect(await (await read(`kyushu/runs/${second}/comparison`)).json()).toMatchObject({
    before: { id: first, items: 1200, requests: 10, statedTotal: 1200, seconds: 48, warnings: 0 },
    after: { id: second, items: 1150, requests: 15, error: { code: 'oai-list-incomplete' } },
    settings: [{ key: 'formats', before: ['oai_dc'], after: [hostile] }],
  });
  expect(await (await read(`kyushu/runs/${first}/comparison`)).json()).not.toHaveProperty('before');
  expect((await read(`kyushu/runs/${first}/comparison?with=${second}`)).status).toBe(200);
  expect((await read('kyushu/runs/9999/comparison')).status).toBe(404);
  expect((await read(`kyushu/runs/${first}/comparison?with=x`)).status).toBe(400);
});
