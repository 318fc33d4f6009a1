import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkIds } from '../../src/oai-conformance/checks/check-table.ts';
import { ownVerdictOf } from '../../src/oai-conformance/checks/own-verdicts.ts';
import { judge } from '../house/oai-conformance/judged.ts';
import { freePort } from '../house/process/free-port.ts';
import { OaiHouse } from '../house/server/oai-house.ts';
import { describeOnBoth } from '../house/store/databases.ts';

const dc = 'http://www.openarchives.org/OAI/2.0/oai_dc/';
const named = (number: number) => `oai:repo.example.org:${String(number).padStart(4, '0')}`;

function dublinCore(number: number): string {
  return `<oai_dc:dc xmlns:oai_dc="${dc}" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Köln ${number}</dc:title><dc:creator>Sato, Hanako</dc:creator><dc:date>2026-03</dc:date><dc:type>article</dc:type><dc:language>de</dc:language><dc:identifier>https://repo.example.org/items/${number}</dc:identifier></oai_dc:dc>`;
}

describeOnBoth('Our own endpoint, judged by the checks of others', (open) => {
  let house: OaiHouse;
  let url = '';
  const clock = { now: () => new Date(house.now), sleep: async () => {} };
  beforeAll(async () => {
    const port = await freePort();
    const baseUrl = `http://127.0.0.1:${port}`;
    house = await OaiHouse.open(open().database, { baseUrl });
    url = `${baseUrl}/${house.source}/oai`;
    await house.name({ theses: 'Theses', 'letters:history': 'History', 'letters:art': 'Art' });
    const records = (from: number, to: number) =>
      Object.fromEntries(
        Array.from({ length: to - from }, (_, index) => [
          named(from + index),
          {
            content: dublinCore(from + index),
            collections: [['theses', 'letters:history', 'letters:art'][index % 3] ?? ''],
          },
        ]),
      );
    await house.tell(records(0, 130));
    house.pass(7_200);
    await house.tell(records(130, 350));
    house.pass(86_400);
    await house.tell(Object.fromEntries([3, 140, 141].map((number) => [named(number), { deleted: true }])));
    house.pass(10);
    await house.order();
    await house.app.listen({ port, host: '127.0.0.1' });
  });
  afterAll(() => house?.close());

  test('has no finding, leaves nothing open, and nearly every check had something to look at', async () => {
    const judged = await judge(url, {}, clock);
    expect(judged.messages).toEqual([]);
    expect(judged.in('unjudged')).toEqual([]);
    expect(judged.records).toBe(350);
    const said = (verdict: RegExp) => checkIds.filter((check) => verdict.test(ownVerdictOf(check)));
    expect(said(/^passes$/).filter((check) => judged.of(check).state !== 'passed')).toEqual([]);
    expect(said(/^nothing to see/)).toEqual([
      'http-retry-after',
      'refuses-fine-dates',
      'record-deletions-stated',
    ]);
    expect(said(/^nothing to see/).filter((check) => judged.of(check).state !== 'absent')).toEqual([]);
    expect(judged.in('passed').length).toBeGreaterThan(65);
  });

  test('is asked for formats that it does not have where guidelines are named', async () => {
    const judged = await judge(url, { profiles: ['openaire', 'irdb'], records: 1 }, clock);
    expect(judged.in('failed')).toEqual(['openaire-format', 'irdb-format']);
  });

  test('a set is walked into, and few records are enough where few are asked for', async () => {
    const judged = await judge(url, { records: 100 }, clock);
    expect(judged.records).toBe(100);
    expect(judged.in('failed')).toEqual([]);
    expect(judged.of('token-last').state).toBe('absent');
  });
});
