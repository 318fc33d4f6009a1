import { createHash } from 'node:crypto';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { packBlob } from '../../../src/store/payloads/blobs.ts';
import { migrate } from '../../../src/store/schema/migrate.ts';

/** So many small sources, as harvests would have left them: `sources-seed SOURCES RECORDS FILE`. */
const sources = Number(process.argv[2]);
const records = Number(process.argv[3]);
const database = openDatabase({ client: 'sqlite', file: process.argv[4] ?? '' });
await migrate(database);
const lastmod = '2026-01-20T00:00:00Z';
const at = '2026-01-21T00:00:00Z';
/** A week of quarters of an hour, as they are kept of each source. */
const runs = 672;
for (let number = 1; number <= sources; number += 1) {
  await database.transaction(async (trx) => {
    const name = `source-${number}`;
    const info = {
      ...{ name: `Repository ${number}`, protocol: 'OAI-PMH', protocolVersion: '2.0' },
      ...{ deletedRecords: 'persistent', granularity: 'seconds', formats: [] },
    };
    await trx('source').insert({
      ...{
        id: number,
        name,
        journal_id: name,
        journal_at: at,
        journal_seq: records,
        first_pass_seq: records,
      },
      ...{ item_count: records, published_items: records, published_seq: records },
      ...{ resource_count: records, as_of: at, last_full_at: at },
      info: JSON.stringify(info),
    });
    await trx('moment').insert({ source_id: number, at, seq: records });
    const made = Array.from({ length: records }, (_, index) => row(number, name, index + 1));
    for (const table of ['item', 'resource', 'change', 'version', 'blob'] as const) {
      await trx(table).insert(made.map((rows) => rows[table]));
    }
    for (let from = 0; from < runs; from += 56) {
      await trx('run').insert(Array.from({ length: 56 }, (_, index) => run(number, from + index)));
    }
  });
}
await database.close();

function run(source_id: number, index: number) {
  const moment = new Date(Date.UTC(2026, 0, 14) + index * 900_000).toISOString().replace('.000', '');
  const times = { started_at: moment, updated_at: moment, ended_at: moment };
  return {
    ...{ source_id, mode: index === 0 ? 'full' : 'incremental', state: 'succeeded', selection: '{}' },
    ...{ ...times, pages: 1, items: 0, created: 0, updated: 0, deleted: 0, unchanged: 0, problems: 0 },
  };
}

function row(source_id: number, name: string, seq: number) {
  const id = (source_id - 1) * records + seq;
  const segment = `oai:repo-${source_id}.example.org:2324~2F${seq}`;
  const content = Buffer.from(
    `<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Thesis ${id}</dc:title></oai_dc:dc>\n`,
  );
  const hash = `sha-256:${createHash('sha256').update(content).digest('hex')}`;
  const facts = { media_type: 'application/xml', length: content.length, hash, lastmod };
  const links = JSON.stringify([
    { rel: 'describes', href: `https://repo-${source_id}.example.org/handle/2324/${seq}` },
    { rel: 'profile', href: 'http://www.openarchives.org/OAI/2.0/oai_dc/' },
  ]);
  return {
    item: { id, source_id, identifier: `oai:repo-${source_id}.example.org:2324/${seq}`, datestamp: lastmod },
    resource: {
      ...{ id, source_id, item_id: id, path: `${name}/items/${segment}/oai_dc.xml`, kind: 'metadata' },
      ...{ format: 'oai_dc', ...facts, links, last_seq: seq, version_count: 1 },
    },
    change: { source_id, seq, resource_id: id, at, kind: 'created', ...facts, links },
    version: { source_id, resource_id: id, seq, at, ...facts },
    blob: { ...packBlob(hash, content) },
  };
}
