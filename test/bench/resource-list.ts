import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { resourceSets } from '../../src/core/resource-set.ts';
import { createPublisher } from '../../src/publish/publisher.ts';
import { openDatabase } from '../../src/store/engine/database.ts';
import { storedLinks } from '../../src/store/rows/link-forms.ts';
import { migrate } from '../../src/store/schema/migrate.ts';

/**
 * How fast a Resource List is published, from the database to synced files, and in how much memory:
 * `npm run bench resource-list [resources]` prints one line of JSON. Target: 60,000 entries/s, 256 MB. With
 * `RESYNC_PYTHON=/path/to/python` of an environment that has resync 2.0.1, its library writes as many beside it.
 */
const count = Number(process.argv[2] ?? 1_000_000);
const given = process.argv[3];

// Seeding has a process of its own, so that the memory measured is the publisher's.
if (given !== undefined) await seed(given);
else await measure();

async function measure(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-bench-'));
  try {
    const script = fileURLToPath(import.meta.url);
    const seeding = [...process.execArgv, script, String(count), join(directory, 'bench.db')];
    const { status } = spawnSync(process.execPath, seeding, { stdio: 'inherit' });
    if (status !== 0) throw new Error('seeding failed');
    const database = openDatabase({ client: 'sqlite', file: join(directory, 'bench.db') });
    const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
    const clock = { now: () => new Date(), sleep: () => Promise.resolve() };
    const baseUrl = 'https://repo.example.org/rs';
    const publisher = createPublisher({ database, directory, baseUrl, clock, log: silent });
    const [set] = resourceSets('bench');
    if (!set) throw new Error('a source has sets');
    const before = process.cpuUsage();
    const started = performance.now();
    const report = await publisher.publish(set, { resourceList: 'always' });
    const seconds = (performance.now() - started) / 1000;
    const { user, system } = process.cpuUsage(before);
    const bytes = report.documents.reduce((sum, document) => sum + document.bytes, 0);
    await database.close();
    const line = {
      entries: count,
      seconds: Number(seconds.toFixed(2)),
      entriesPerSecond: Math.round(count / seconds),
      cpuSeconds: Number(((user + system) / 1e6).toFixed(2)),
      megabytes: Math.round(bytes / 1e6),
      maxRssMegabytes: Math.round(process.resourceUsage().maxRSS / 1024),
    };
    process.stdout.write(`${JSON.stringify(line)}\n`);
    compareWithPeer(line.entriesPerSecond);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function compareWithPeer(own: number): void {
  const python = process.env.RESYNC_PYTHON;
  if (!python) {
    process.stderr.write('no peer: RESYNC_PYTHON is not set\n');
    return;
  }
  const script = join(process.cwd(), 'test', 'bench', 'peers', 'resync-peer.py');
  const { stdout } = spawnSync(python, [script, String(count)], { encoding: 'utf8' });
  const peer = JSON.parse(stdout) as { entriesPerSecond: number };
  const ratio = Number((own / peer.entriesPerSecond).toFixed(1));
  process.stdout.write(`${JSON.stringify({ ...peer, ratio })}\n`);
}

/** One change is enough for the journal; the Resource List reads the resources alone. */
async function seed(file: string): Promise<void> {
  const database = openDatabase({ client: 'sqlite', file });
  await migrate(database);
  const [source] = await database
    .writer('source')
    .insert({ name: 'bench', journal_at: '2026-11-21T00:00:00Z', journal_seq: 1, first_pass_seq: 1 })
    .returning('id');
  const [item] = await database
    .writer('item')
    .insert({ source_id: source.id, identifier: 'one' })
    .returning('id');
  const rows = 50;
  for (let start = 0; start < count; start += 50_000) {
    await database.transaction(async (trx) => {
      for (let from = start; from < Math.min(start + 50_000, count); from += rows) {
        const size = Math.min(rows, count - from);
        const batch = Array.from({ length: size }, (_, index) => resource(from + index, source.id, item.id));
        // As a harvest keeps them: what records have in common once.
        const links = await storedLinks(trx, source.id, batch);
        await trx('resource').insert(batch.map((row) => ({ ...row, links: links(row.links, row.path) })));
      }
    });
  }
  await database.writer('change').insert({
    source_id: source.id,
    seq: 1,
    resource_id: 1,
    at: '2026-11-21T00:00:00Z',
    kind: 'created',
    lastmod: '2026-11-20T00:00:00Z',
    links: '[]',
  });
  await database.close();
}

function resource(number: number, sourceId: number, itemId: number) {
  const item = `oai:repo.example.org:2324~2F${number}`;
  const links = [
    { rel: 'describes', href: `bench/items/${item}/files/1-article.pdf` },
    { rel: 'profile', href: 'http://www.openarchives.org/OAI/2.0/oai_dc/' },
    { rel: 'collection', href: 'bench/collections/col_2324_17' },
    {
      rel: 'via',
      href: `https://repo.example.org/oai?verb=GetRecord&metadataPrefix=oai_dc&identifier=${encodeURIComponent(`oai:repo.example.org:2324/${number}`)}`,
      type: 'text/xml',
    },
  ];
  return {
    source_id: sourceId,
    item_id: itemId,
    path: `bench/items/${item}/oai_dc.xml`,
    kind: 'metadata',
    format: 'oai_dc',
    media_type: 'application/xml',
    length: 1000 + (number % 5000),
    hash: `sha-256:${number.toString(16).padStart(64, 'a')}`,
    lastmod: '2026-11-20T00:00:00Z',
    links: JSON.stringify(links),
    last_seq: 1,
    version_count: 1,
  };
}
