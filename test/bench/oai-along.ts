import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import type { DatabaseConfig } from '../../src/core/config/config.ts';
import { startPostgres } from '../house/postgres/server.ts';
import { end, orderAll, seedRecords } from './oai/seeded.ts';
import { Truth, Writer } from './oai/writer.ts';
import { megabytes } from './once/load.ts';
import { firstLine, print, start } from './once/processes.ts';

/**
 * `npm run bench oai-along [RECORDS] [sqlite] [pg]`: a harvester walks through all records of a source while a writer updates,
 * deletes and re-creates 200 of them a second, then follows with `from` = the `responseDate` of the walk before until the writer
 * rests. What it then holds is compared with what was written: ends with 1 where a record is missing, stale or not deleted.
 */
const given = process.argv.slice(2);
const records = Number(given.find((word) => /^\d+$/.test(word)) ?? '1000000');
const named = ['sqlite', 'pg'].filter((part) => given.includes(part));
const wanted = named.length > 0 ? named : ['sqlite', 'pg'];
const directory = mkdtempSync(join(tmpdir(), 'rsbridge-bench-'));

try {
  if (wanted.includes('sqlite')) await follow({ client: 'sqlite', file: join(directory, 'bench.db') });
  if (wanted.includes('pg')) {
    const postgres = await startPostgres();
    try {
      await follow({ client: 'pg', url: postgres.url, poolSize: 4 });
    } finally {
      await postgres.stop();
    }
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}

async function follow(config: DatabaseConfig): Promise<void> {
  await seedRecords(config, records);
  await orderAll(config, records);
  const server = start('once/oai-server', [JSON.stringify(config), directory]);
  const writer = await Writer.open(config, records);
  try {
    const url = `http://127.0.0.1:${await firstLine(server)}/bench0/oai`;
    const held = new Truth(records);
    const writing = writer.write(200);
    let [from, first, walks, told] = [undefined as string | undefined, undefined as Walk | undefined, 0, 0];
    do {
      const isLast = walks === 3;
      // Whoever is asked in the second of the last change tells of it only in the next.
      if (isLast) await writer.rest(writing);
      const walk: Walk = await walkAll(url, from, held);
      first ??= walk;
      from = walk.responseDate;
      walks += 1;
      told += walk.records;
    } while (walks <= 3);
    const wrong = held.differencesFrom(writer.truth);
    print({
      name: config.client,
      records,
      written: writer.written,
      writtenPerSecond: Math.round(writer.written / writer.seconds),
      firstWalk: { records: first?.records, seconds: first?.seconds, pages: first?.pages },
      walks,
      told,
      late: writer.late,
      peakMB: megabytes(server.pid ?? 0)[0]?.peak,
      wrong: wrong.length,
      ...(wrong.length > 0 && { some: wrong.slice(0, 5) }),
    });
    if (wrong.length > 0) process.exitCode = 1;
  } finally {
    await writer.close();
    await end(server);
  }
}

interface Walk {
  readonly records: number;
  readonly pages: number;
  readonly seconds: number;
  readonly responseDate: string;
}

async function walkAll(url: string, from: string | undefined, held: Truth): Promise<Walk> {
  const since = performance.now();
  let [query, count, pages, responseDate] = [`metadataPrefix=oai_dc${from ? `&from=${from}` : ''}`, 0, 0, ''];
  for (;;) {
    const { statusCode, headers, body } = await request(`${url}?verb=ListRecords&${query}`);
    const text = await body.text();
    if (statusCode === 503) {
      await new Promise((resolve) => setTimeout(resolve, Number(headers['retry-after'] ?? 1) * 1000));
      continue;
    }
    if (statusCode !== 200) throw new Error(`${statusCode}: ${text.slice(0, 500)}`);
    if (responseDate === '') responseDate = /<responseDate>([^<]+)</.exec(text)?.[1] ?? '';
    for (const record of text.split('<record>').slice(1)) {
      held.note(record);
      count += 1;
    }
    pages += 1;
    const token = /<resumptionToken[^>]*>([^<]+)</.exec(text.slice(-1000))?.[1];
    if (token === undefined) break;
    query = `resumptionToken=${token}`;
  }
  const seconds = Number(((performance.now() - since) / 1000).toFixed(1));
  return { records: count, pages, seconds, responseDate };
}
