import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { facets, indexTerms, wantedOf } from '../../src/core/search/words.ts';
import { insertRows } from '../../src/store/engine/bulk.ts';
import { type Database, openDatabase } from '../../src/store/engine/database.ts';
import { migrate } from '../../src/store/schema/migrate.ts';
import { boundedSearch } from '../../src/store/search/bounded-search.ts';
import type { DescribedItem } from '../../src/store/search/described-items.ts';
import { replaceDescriptions } from '../../src/store/search/description-rows.ts';
import type { SearchQuestion } from '../../src/store/search/search.ts';
import { ensureSource, findSource } from '../../src/store/sources/sources.ts';
import { startPostgres } from '../house/postgres/server.ts';
import { firstLine, print, start } from './once/processes.ts';

/**
 * `npm run bench search [ITEMS] [sqlite] [pg] [fill]`: questions to an index of so many items of ten sources, half of them in
 * Japanese, and what the index takes. A question is asked 20 times with words of its kind that differ; the slowest but one is
 * told, too. `fill`: what it costs to describe 20,000 harvested records, beside their harvest.
 */
const [count = '1000000', ...chosen] = process.argv.slice(2);
const items = Number(count);
const wanted = chosen.length > 0 ? chosen : ['sqlite', 'pg'];
const sources = 10;
const rounds = 20;
const itemsAtATime = 2000;

let state = 1;
/** The same ones in every run. */
function random(): number {
  state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
  return state / 2 ** 31;
}
/** Few are common, most are rare. */
const often = (most: number) => Math.floor(random() ** 3 * most);
const word = (n: number) => `w${n.toString(36)}`;
const kanji = (n: number) => String.fromCharCode(0x4e00 + n);

function titleOf(n: number): string {
  if (n % 2 === 0) return `the study of ${Array.from({ length: 9 }, () => word(often(30_000))).join(' ')}`;
  return `${Array.from({ length: 18 }, () => kanji(often(3000))).join('')}の研究`;
}

function describedItem(n: number, sourceId: number): DescribedItem {
  const title = titleOf(n);
  const creators = [
    `name${often(20_000)} given${often(3000)}`,
    `${kanji(often(800))}${kanji(often(800))}, ${kanji(often(800))}`,
  ];
  const year = String(1950 + often(76));
  const minute = n * 7;
  return {
    itemId: n,
    resourceId: n,
    hash: `sha-256:${n.toString(16).padStart(64, '0')}`,
    lastmod: `${new Date(Date.UTC(2010, 0, 1) + minute * 60_000).toISOString().slice(0, 19)}Z`,
    title,
    language: n % 2 === 0 ? 'en' : 'ja',
    otherTitles: [],
    creators,
    date: year,
    type: 'journal article',
    terms: [
      ...indexTerms([title, `oai:repo.example.org:${n}`, ...creators]),
      facets.source(sourceId),
      facets.year(year),
      facets.format('oai_dc'),
      facets.collection(1 + (n % 50)),
    ],
  };
}

async function seed(database: Database): Promise<readonly number[]> {
  const ids: number[] = [];
  for (let n = 0; n < sources; n += 1) {
    await ensureSource(database, `source-${n}`, '2026-01-01T00:00:00Z');
    ids.push((await findSource(database.reader, `source-${n}`))?.id ?? 0);
  }
  for (let start = 1; start <= items; start += itemsAtATime) {
    const sourceId = ids[Math.floor(start / itemsAtATime) % sources] ?? 0;
    const some = Array.from({ length: Math.min(itemsAtATime, items - start + 1) }, (_, index) =>
      describedItem(start + index, sourceId),
    );
    await database.transaction(async (trx) => {
      await insertRows(
        trx,
        'item',
        some.map(({ itemId }) => ({
          id: itemId,
          source_id: sourceId,
          identifier: `oai:repo.example.org:${itemId}`,
        })),
      );
      await insertRows(
        trx,
        'resource',
        some.map(({ itemId, hash, lastmod }) => ({
          ...{ id: itemId, source_id: sourceId, item_id: itemId, hash, lastmod, kind: 'metadata' },
          ...{ path: `source/items/${itemId}/oai_dc.xml`, format: 'oai_dc', links: '[]', last_seq: itemId },
          ...{ version_count: 1, media_type: 'application/xml', length: 2000 },
        })),
      );
      await insertRows(
        trx,
        'item_collection',
        some.map(({ itemId }) => ({
          source_id: sourceId,
          item_id: itemId,
          collection_id: 1 + (itemId % 50),
        })),
      );
    });
    spent -= performance.now();
    await database.transaction((trx) => replaceDescriptions(trx, sourceId, [], some));
    spent += performance.now();
  }
  return ids;
}

let spent = 0;

type Ask = (sourceId: number) => readonly [query: string, rest?: Partial<SearchQuestion>];

const middle = (Date.UTC(2010, 0, 1) / 60_000 + items * 3.5) * 2 ** 27;

const questions: Readonly<Record<string, Ask>> = {
  'the newest': () => [''],
  'a word of every second item': () => ['study'],
  'a common word': () => [word(often(100))],
  'a rare word': () => [word(20_000 + often(10_000))],
  'four common words': () => [`study ${word(0)} ${word(often(4))} ${word(4 + often(4))}`],
  'words that are never together': () => ['study 研究'],
  研究: () => ['研究'],
  'a character': () => [kanji(often(3000))],
  'a stretch of four characters': () => [Array.from({ length: 4 }, () => kanji(often(20))).join('')],
  'a name': () => [`name${often(20_000)}`],
  'an identifier': () => [`oai:repo.example.org:${1 + often(items)}`],
  'a common word in a source': (sourceId) => ['study', { sourceId }],
  'a source and a year': (sourceId) => ['', { sourceId, year: String(1950 + often(76)) }],
  'a collection': () => ['', { collectionId: 1 + often(50) }],
  'a word since the middle': () => [word(often(100)), { since: '2016-01-01T00:00:00Z' }],
  'page 10,000 of a common word': () => ['study', { after: middle }],
};

async function ask(database: Database, ids: readonly number[]): Promise<void> {
  for (const [what, question] of Object.entries(questions)) {
    const times: number[] = [];
    let found = 0;
    let failed = 0;
    for (let round = 0; round < rounds; round += 1) {
      const [query, rest = {}] = question(ids[often(sources)] ?? 0);
      const began = performance.now();
      try {
        const answer = await boundedSearch(
          database,
          { wanted: wantedOf(query), limit: 20, ...rest },
          () => true,
        );
        found += answer.items.length;
      } catch {
        failed += 1;
      }
      times.push(performance.now() - began);
    }
    times.sort((a, b) => a - b);
    const ms = (value = 0) => Math.round(value * 10) / 10;
    print({
      ...{ what, least: ms(times[0]), median: ms(times[rounds / 2]), slow: ms(times.at(-2)) },
      ...{ found: found / rounds, failed },
    });
  }
}

async function measure(
  name: string,
  database: Database,
  size: () => Promise<number> | number,
): Promise<void> {
  state = 1;
  spent = 0;
  await migrate(database);
  const ids = await seed(database);
  await database.writer.raw('analyze');
  print({
    what: name,
    items,
    writtenPerSecond: Math.round(items / (spent / 1000)),
    octetsPerItem: Math.round((await size()) / items),
  });
  await ask(database, ids);
}

const filled = 20_000;

/** In turns, because the machine may be busy. */
async function fill(kind: string, place: (round: number) => object): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    const database = JSON.stringify(place(round));
    const provider = start('upstreams/provider', [filled, 1000]);
    const url = await firstLine(provider);
    const harvested = JSON.parse(await firstLine(start('once/harvest-once', [url, database, 1, 0, 1])));
    provider.kill('SIGKILL');
    const described = JSON.parse(await firstLine(start('once/describe-once', [database])));
    print({ what: `fill ${kind}`, harvestCpu: harvested.cpuSeconds, ...described });
  }
}

const directory = mkdtempSync(join(tmpdir(), 'rsbridge-bench-'));
try {
  if (wanted.includes('sqlite')) {
    const file = join(directory, 'search.db');
    const database = openDatabase({ client: 'sqlite', file });
    await measure('sqlite', database, async () => {
      await database.writer.raw('pragma wal_checkpoint(truncate)');
      const [row] = await database.reader
        .raw(
          "select sum(pgsize) as size from dbstat where name like 'description%' or name like 'item_search%'",
        )
        .catch(() => [{ size: statSync(file).size }]);
      return Number(row.size);
    });
    await database.close();
  }
  if (wanted.includes('pg')) {
    const server = await startPostgres();
    const database = openDatabase({ client: 'pg', url: server.url, poolSize: 5 });
    await measure('pg', database, async () => {
      const { rows } = await database.reader.raw(
        "select sum(pg_total_relation_size(c.oid)) as size from pg_class c where c.relname ~ '^description_p[0-9]+$'",
      );
      return Number(rows[0].size);
    });
    await database.close();
    await server.stop();
  }
  if (wanted.includes('fill')) {
    await fill('sqlite', (round) => ({ client: 'sqlite', file: join(directory, `fill-${round}.db`) }));
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}
