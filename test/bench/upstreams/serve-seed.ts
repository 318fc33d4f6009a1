import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { packBlob } from '../../../src/store/payloads/blobs.ts';
import { adoptContentFiles } from '../../../src/store/payloads/content-files.ts';
import { migrate } from '../../../src/store/schema/migrate.ts';

/** A source with as many items of one record, as a harvest would have left them: `serve-seed COUNT DATABASE [DIRECTORY]`, of which the database is a configuration in JSON. */
const count = Number(process.argv[2]);
const database = openDatabase(JSON.parse(process.argv[3] ?? ''));
await migrate(database);
const lastmod = '2026-11-20T00:00:00Z';
const at = '2026-11-21T00:00:00Z';
const [{ id: source_id }] = await database
  .writer('source')
  .insert({
    ...{ name: 'bench', journal_id: 'bench', journal_at: at, journal_seq: count, first_pass_seq: count },
    ...{ item_count: count, published_items: count, published_seq: count, resource_count: count },
    ...{ as_of: at, last_full_at: at },
  })
  .returning('id');
await database.writer('collection').insert({ source_id, spec: 'theses', name: 'Theses' });
for (let from = 0; from < count; from += 500) {
  const rows = Array.from({ length: Math.min(500, count - from) }, (_, index) => row(from + index + 1));
  await database.transaction(async (trx) => {
    for (const table of ['item', 'resource', 'change', 'version', 'blob'] as const) {
      await trx(table).insert(rows.map((made) => made[table]));
    }
  });
}
if (process.argv[4] !== undefined) await addLargeFile(process.argv[4]);
await database.close();
process.stdout.write('seeded\n');

function row(id: number) {
  const number = id - 1;
  const segment = `oai:repo.example.org:2324~2F${number}`;
  const content = Buffer.from(payload(number));
  const hash = `sha-256:${createHash('sha256').update(content).digest('hex')}`;
  const facts = { media_type: 'application/xml', length: content.length, hash, lastmod };
  const links = JSON.stringify([
    { rel: 'describes', href: `https://repo.example.org/handle/2324/${number}` },
    { rel: 'profile', href: 'http://www.openarchives.org/OAI/2.0/oai_dc/' },
    { rel: 'collection', href: 'bench/collections/theses' },
  ]);
  return {
    item: { id, source_id, identifier: `oai:repo.example.org:2324/${number}`, datestamp: lastmod },
    resource: {
      ...{ id, source_id, item_id: id, path: `bench/items/${segment}/oai_dc.xml`, kind: 'metadata' },
      ...{ format: 'oai_dc', ...facts, links, last_seq: id, version_count: 1 },
    },
    change: { source_id, seq: id, resource_id: id, at, kind: 'created', ...facts, links },
    version: { source_id, resource_id: id, seq: id, at, ...facts },
    blob: { ...packBlob(hash, content) },
  };
}

function payload(number: number): string {
  const dc = (name: string, value: string) => `<dc:${name}>${value}</dc:${name}>\n`;
  const abstract = `A study of ${createHash('sha256').update(String(number)).digest('base64')}. `.repeat(14);
  return `<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">
${dc('title', `Thesis number ${number}`)}${dc('creator', `Author ${number % 5000}`)}${dc('description', abstract)}${dc('date', '2026')}${dc('type', 'thesis')}${dc('identifier', `https://repo.example.org/handle/2324/${number}`)}</oai_dc:dc>
`;
}

/** 50 MB that do not compress, mirrored: a file of the first item. */
async function addLargeFile(directory: string): Promise<void> {
  const content = randomBytes(50_000_000);
  const hash = `sha-256:${createHash('sha256').update(content).digest('hex')}`;
  const place = join(directory, 'blobs');
  const file = join(place, 'large.tmp');
  mkdirSync(place, { recursive: true });
  writeFileSync(file, content);
  await adoptContentFiles(database, directory, [{ hash, length: content.length, crc: crc32(content), file }]);
  const id = count + 1;
  const facts = { media_type: 'application/octet-stream', length: content.length, hash, lastmod };
  const path = 'bench/items/oai:repo.example.org:2324~2F0/files/1/large.bin';
  const own = {
    id,
    source_id,
    item_id: 1,
    path,
    kind: 'file',
    format: 'file',
    last_seq: id,
    version_count: 1,
  };
  await database.writer('resource').insert({ ...own, ...facts, links: '[]' });
  await database
    .writer('change')
    .insert({ source_id, seq: id, resource_id: id, at, kind: 'created', ...facts, links: '[]' });
  await database.writer('version').insert({ source_id, resource_id: id, seq: id, at, ...facts });
  await database.writer('source').update({ journal_seq: id, first_pass_seq: id, resource_count: id });
}
