import { rawRecord } from '../../../src/core/problem.ts';
import type { SourceOverview } from '../../../src/server/deps.ts';
import type { Language } from '../../../src/server/words/language.ts';
import { storeUnreadable } from '../../../src/store/runs/unreadable.ts';
import { pauseSources } from '../../../src/store/sources/pauses.ts';
import { ensureSource, findSource } from '../../../src/store/sources/sources.ts';
import { addAccount, dashboard } from '../server/dashboard.ts';
import { type House, now, openHouse } from '../server/fixture.ts';

interface Shown {
  readonly name: string;
  readonly title: string;
  readonly word: NonNullable<SourceOverview['word']>;
  readonly said: Readonly<Record<Language, string>>;
  /** Of the latest runs, the oldest first: o as it should be, a needs attention, f failed. */
  readonly runs: string;
  readonly hours: number;
  readonly items: number;
  readonly changes: number;
}

const usual = { en: 'waits for its next run', ja: '次回の取得を待っています' };
const sources: readonly Shown[] = [
  {
    ...{
      name: 'aomori',
      title: 'Aomori Library of Folk Tales',
      word: 'failed',
      hours: 19,
      items: 3120,
      changes: 0,
    },
    said: {
      en: 'the last four harvests failed: 503 Service Unavailable',
      ja: '直近 4 回の取得に失敗：503 Service Unavailable',
    },
    runs: 'ooooooooooooooooooooooooooffff',
  },
  {
    ...{
      name: 'kyoto',
      title: 'Kyoto Institute of Gardens',
      word: 'attention',
      hours: 1,
      items: 84_211,
      changes: 96,
    },
    said: { en: '3 records could not be read', ja: '読み取れないレコードが 3 件あります' },
    runs: 'oooooooooooooooooooooooooooooa',
  },
  {
    ...{ name: 'nara', title: '奈良古文書リポジトリ', word: 'paused', hours: 40, items: 12_940, changes: 0 },
    said: { en: 'paused: their server moves', ja: '一時停止中：サーバー移転のため' },
    runs: 'oooooooooooooooooooooooo',
  },
  {
    ...{
      name: 'otaru',
      title: 'Otaru Maritime University',
      word: 'ok',
      hours: 1,
      items: 41_877,
      changes: 12,
    },
    ...{ said: usual, runs: 'oooooooofooooooooooooooooooooo' },
  },
  {
    ...{
      name: 'sendai',
      title: '仙台工科大学学術リポジトリ',
      word: 'ok',
      hours: 0,
      items: 152_306,
      changes: 418,
    },
    ...{ said: usual, runs: 'oooooooooooooooooooooooooooooo' },
  },
  {
    ...{ name: 'tsu', title: 'Tsu Museum of Pearls', word: 'ok', hours: 0, items: 9308, changes: 3 },
    ...{ said: usual, runs: 'oooooooooooooooooooooooooooooo' },
  },
];

const hoursAgo = (hours: number) =>
  new Date(Date.parse(now) - hours * 3_600_000).toISOString().replace('.000', '');
const states: Readonly<Record<string, string>> = { o: 'succeeded', a: 'needs-attention', f: 'failed' };

/** An installation that is always the same, with a little of everything that a picture should show. */
export async function openPictureHouse(): Promise<House> {
  const house = await openHouse({ admin: dashboard, title: 'Example Consortium of Libraries' });
  const { database } = house;
  await addAccount(house);
  for (const { name, title, word, said, runs, hours, items, changes } of sources) {
    const at = hoursAgo(hours);
    house.sources.push({
      ...{ name, title, word, state: said.en, stateIn: (language) => said[language] },
      ...{ healthy: word === 'ok' || word === 'paused', lastSuccessAt: at, lastRunAt: at },
      ...{ nextRunAt: hoursAgo(-1), items, resources: items * 2, recentChanges: changes },
    });
    await ensureSource(database, name, now);
    const id = (await findSource(database.reader, name))?.id ?? 0;
    const rows = [...runs].map((run, index) => {
      const began = hoursAgo(hours + runs.length - index);
      return {
        ...{ source_id: id, mode: 'incremental', state: states[run], selection: '', started_at: began },
        ...{ updated_at: began, ended_at: began, items: 20 + (index % 7) * 3, updated: index % 5 },
      };
    });
    await database.writer('run').insert(rows);
  }
  await pauseSources(database, [
    { source: 'nara', since: hoursAgo(40), until: '2026-11-23T00:00:00Z', reason: 'their server moves' },
  ]);
  const kyoto = (await findSource(database.reader, 'kyoto'))?.id ?? 0;
  const torn = (n: number) => ({
    ...{ code: 'record-quarantined' as const, identifier: `oai:gardens.example:${n}`, format: 'oai_dc' },
    message: `The record oai:gardens.example:${n} cannot be read: unexpected close tag.`,
    raw: rawRecord(
      `<record>\n  <dc:title>Moss & stones of the eastern garden</dc:title>\n  <dc:creator>Hayashi, Midori</dc:author>\n</record>`,
    ),
  });
  await database.transaction((trx) =>
    storeUnreadable(trx, kyoto, [torn(2041), torn(2077), torn(2093)], [], {
      run: { id: 60 },
      at: hoursAgo(1),
    }),
  );
  return house;
}
