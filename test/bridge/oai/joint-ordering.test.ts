import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { errorsIn, identifiersIn, tokenIn } from '../../house/server/oai-house.ts';
import { type SampleService, startSampleService } from '../../house/server/sample-service.ts';

/** A bridge as it runs: what happens in its source is taken up by itself. */
let sample: SampleService;
const adminEmail = 'admin@sample.example.org';

beforeAll(async () => {
  const sets = { theses: { title: 'Theses', collections: ['theses'] } };
  const together = { oai: { adminEmail, name: 'All' } };
  sample = await startSampleService('', { oai: { adminEmail }, sets }, together, 130);
}, 120_000);
afterAll(() => sample?.close());

async function ask(address: string, query: Record<string, string>): Promise<string> {
  return (await fetch(`${sample.base}${address}?${new URLSearchParams(query)}`)).text();
}

/** Identifiers by what is said of them. */
async function walk(address: string, more: Record<string, string> = {}): Promise<readonly string[]> {
  const pages = [await ask(address, { verb: 'ListIdentifiers', metadataPrefix: 'oai_dc', ...more })];
  for (let token = tokenIn(pages[0] ?? ''); token; token = tokenIn(pages.at(-1) ?? ''))
    pages.push(await ask(address, { verb: 'ListIdentifiers', resumptionToken: token }));
  return pages.flatMap(identifiersIn).sort();
}

test('all sources together have what each has, at first and after edits', async () => {
  const own = await walk('/sample/oai');
  expect(own.length).toBeGreaterThan(100);
  const all = () => vi.waitFor(async () => expect(await walk('/oai')).toEqual(own), { timeout: 60_000 });
  await all();
  expect(await walk('/oai', { set: 'sample' })).toEqual(own);
  const theses = await walk('/sample/oai', { set: 'theses' });
  expect(theses.length).toBeGreaterThan(5);
  expect(await walk('/oai', { set: 'sample:theses' })).toEqual(theses);
  expect(await walk('/sample/oai', { set: 'sets.theses' })).toEqual(theses);
  const from = /<responseDate>([^<]+)</.exec(await ask('/oai', { verb: 'Identify' }))?.[1] ?? '';
  await sample.edit(20);
  await vi.waitFor(
    async () => {
      const changed = await walk('/oai', { from });
      expect(changed.length).toBeGreaterThanOrEqual((await walk('/sample/oai', { from })).length);
      expect(changed.length).toBeGreaterThan(3);
    },
    { timeout: 60_000 },
  );
});

test('its address is named to people and programs', async () => {
  const page = await (await fetch(`${sample.base}/about`, { headers: { accept: 'text/html' } })).text();
  expect(page).toContain(`href="${sample.base}/oai?verb=Identify"`);
  const set = await (await fetch(`${sample.base}/sample/about`, { headers: { accept: 'text/html' } })).text();
  expect(set).toContain(`href="${sample.base}/sample/oai?verb=Identify"`);
  expect(await ask('/oai', { verb: 'Identify' })).toContain(`<baseURL>${sample.base}/sample/oai</baseURL>`);
  expect(errorsIn(await ask('/oai', { verb: 'ListSets' }))).toEqual([]);
});
