import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import type { Knex } from 'knex';
import { insertRows, type Row } from '../../src/store/engine/bulk.ts';
import { type Database, openDatabase } from '../../src/store/engine/database.ts';
import { packBlob } from '../../src/store/payloads/blobs.ts';
import { migrate } from '../../src/store/schema/migrate.ts';
import { keepContent } from '../house/store/kept-content.ts';
import { firstLine, print, start } from './once/processes.ts';

/**
 * How fast a Resource Dump is written, from the database and the content store to synced files, and in how
 * much memory, beside Info-ZIP on the same contents as files: `npm run bench dump [RECORDS] [MEGABYTES]`, by
 * default 1,000,000 metadata records and 5,000 MB of files. Target: 70 % of `zip -6` and of `zip -0`, 256 MB.
 * Info-ZIP does not sync; `ratio` compares with zip alone, `ratioSynced` with zip and a sync of its file.
 */
const vocabulary = Array.from({ length: 400 }, (_, index) =>
  createHash('sha256')
    .update(`word ${index}`)
    .digest('hex')
    .replace(/\d/g, (digit) => 'etaoinshrd'.charAt(Number(digit)))
    .slice(0, 3 + (index % 9)),
);
const [records = '1000000', megabytes = '5000', seed] = process.argv.slice(2);

// Preparing has a process of its own, so that the page cache is the only thing that it leaves behind.
if (seed !== undefined) await prepare(seed);
else {
  if (Number(records) > 0) await compare('records', '-6');
  if (Number(megabytes) > 0) await compare('files', '-0');
}

async function compare(kind: 'records' | 'files', level: string): Promise<void> {
  const place = mkdtempSync(join(tmpdir(), 'rsbridge-bench-'));
  try {
    const count = kind === 'records' ? [records, '0'] : ['0', megabytes];
    const script = fileURLToPath(import.meta.url);
    run(process.execPath, [...process.execArgv, script, ...count, place], place);
    run('sync', [], place);
    const own = JSON.parse(await firstLine(start('once/dump-once', [place]))) as {
      seconds: number;
      entries: number;
      bytes: number;
    };
    rmSync(join(place, 'publication'), { recursive: true });
    run('sync', [], place);
    const zip = run('zip', ['-q', level, '-r', 'peer.zip', kind === 'records' ? 'items' : 'blobs'], place);
    const synced = zip + run('sync', ['peer.zip'], place);
    const rounded = (value: number) => Number(value.toFixed(2));
    print({
      kind,
      ...own,
      seconds: rounded(own.seconds),
      entriesPerSecond: Math.round(own.entries / own.seconds),
      megabytesPerSecond: Math.round(own.bytes / 1e6 / own.seconds),
      peer: `zip ${level}`,
      peerSeconds: rounded(zip),
      peerSecondsSynced: rounded(synced),
      peerBytes: statSync(join(place, 'peer.zip')).size,
      ratio: rounded(zip / own.seconds),
      ratioSynced: rounded(synced / own.seconds),
    });
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** @returns seconds */
function run(command: string, args: readonly string[], cwd: string): number {
  const started = performance.now();
  const { status, error } = spawnSync(command, args, { cwd, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`${command} failed (${status})`, { cause: error });
  return (performance.now() - started) / 1000;
}

async function prepare(place: string): Promise<void> {
  const database = openDatabase({ client: 'sqlite', file: join(place, 'bench.db') });
  await migrate(database);
  await database.writer('source').insert({ id: 1, name: 'bench', journal_at: '2026-11-21T00:00:00Z' });
  await database.writer('item').insert({ id: 1, source_id: 1, identifier: 'one' });
  for (let first = 0; first < Number(records); first += 2000) {
    const numbers = Array.from(
      { length: Math.min(2000, Number(records) - first) },
      (_, index) => first + index,
    );
    await database.transaction((trx) => prepareRecords(trx, place, numbers));
  }
  const fileBytes = 2_500_000;
  for (let number = 0; number * fileBytes < Number(megabytes) * 1e6; number += 1) {
    await prepareFile(database, place, number, randomBytes(fileBytes));
  }
  await database.close();
}

async function prepareRecords(
  trx: Knex.Transaction,
  place: string,
  numbers: readonly number[],
): Promise<void> {
  const resources: Row[] = [];
  const blobs: Row[] = [];
  for (const number of numbers) {
    const content = Buffer.from(record(number));
    const hash = hashOf(content);
    const path = `items/oai:repo.example.org:2324~2F${number}`;
    blobs.push({ ...packBlob(hash, content) });
    resources.push(resource(`${path}/oai_dc.xml`, 'metadata', 'application/xml', hash, content.length));
    mkdirSync(join(place, path), { recursive: true });
    writeFileSync(join(place, path, 'oai_dc.xml'), content);
  }
  await insertRows(trx, 'blob', blobs);
  await insertRows(trx, 'resource', resources);
}

async function prepareFile(
  database: Database,
  place: string,
  number: number,
  content: Buffer,
): Promise<void> {
  const { hash, length } = await keepContent(database, place, content);
  const path = `items/oai:repo.example.org:2324~2F${number}/files/1-article.pdf`;
  await database.transaction((trx) =>
    insertRows(trx, 'resource', [resource(path, 'file', 'application/pdf', hash, length)]),
  );
}

function resource(path: string, kind: string, mediaType: string, hash: string, length: number): Row {
  const links = [
    { rel: 'profile', href: 'http://www.openarchives.org/OAI/2.0/oai_dc/' },
    { rel: 'collection', href: 'bench/collections/col_2324_17' },
  ];
  return {
    source_id: 1,
    item_id: 1,
    path: `bench/${path}`,
    kind,
    format: kind === 'file' ? 'file' : 'oai_dc',
    media_type: mediaType,
    length,
    hash,
    lastmod: '2026-11-20T00:00:00Z',
    links: JSON.stringify(links),
    last_seq: 1,
    version_count: 1,
  };
}

/** About 1.6 kB of oai_dc in words that are not the same twice. */
function record(number: number): string {
  const words = createHash('sha512').update(String(number)).digest();
  const text = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => vocabulary[(words[(from + index) % 64] ?? 0) + index]).join(
      ' ',
    );
  return `<?xml version="1.0" encoding="UTF-8"?>
<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd">
<dc:title>${text(0, 12)}</dc:title>
<dc:creator>${text(3, 2)}</dc:creator>
<dc:creator>${text(7, 2)}</dc:creator>
<dc:subject>${text(11, 4)}</dc:subject>
<dc:description>${text(0, 90)}</dc:description>
<dc:date>2019-0${1 + (number % 9)}-11</dc:date>
<dc:type>info:eu-repo/semantics/article</dc:type>
<dc:identifier>https://repo.example.org/handle/2324/${number}</dc:identifier>
<dc:language>en</dc:language>
</oai_dc:dc>
`;
}

function hashOf(content: Buffer): string {
  return `sha-256:${createHash('sha256').update(content).digest('hex')}`;
}
