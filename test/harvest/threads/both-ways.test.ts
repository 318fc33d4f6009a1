import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { resourceSets } from '../../../src/core/resource-set.ts';
import type { Threads } from '../../../src/core/threads.ts';
import { harvest } from '../../../src/harvest/harvest.ts';
import { createThreads } from '../../../src/harvest/threads/threads.ts';
import { createPublisher } from '../../../src/publish/publisher.ts';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { envelope, oaiDc, provide } from '../../house/adapters/scripted-provider.ts';
import { openSource, silent } from '../../house/hostile/open-source.ts';
import { createVirtualClock } from '../../house/hostile/virtual-clock.ts';
import { migratedPostgres, migratedSqlite } from '../../house/store/databases.ts';

const threads = createThreads(2, silent);
afterAll(() => threads.close());

const total = 260;
const pageSize = 130;

/** What the repository holds in each of its three states. */
function records(state: number, prefix: string): string[] {
  return Array.from({ length: total }, (_, index) => {
    const edited = state > 0 && index % 13 === 0;
    const deleted = state > 1 && index % 40 === 7;
    const day = deleted ? '2026-02-03' : edited ? `2026-02-0${state}` : '2026-01-01';
    const broken = index % 50 === 3 ? ' a & b' : index % 50 === 4 ? '</dc:title>' : '';
    const title = `<dc:title>Title ${index} ${'ü'.repeat(index)}${edited ? ` edited ${state}` : ''}${broken}</dc:title>`;
    const link = `<dc:identifier>https://repo.example.org/items/${index}</dc:identifier>`;
    const metadata = `<metadata><oai_dc:dc ${oaiDc}>${title}<dc:type>${prefix}</dc:type>${link}</oai_dc:dc></metadata>`;
    return (
      `<record><header${deleted ? ' status="deleted"' : ''}><identifier>oai:x:${index}</identifier><datestamp>${day}</datestamp>` +
      `<setSpec>s:${index % 3}</setSpec></header>${deleted ? '' : metadata}</record>`
    );
  });
}

async function repository() {
  const now = { state: 0 };
  const { url } = await provide((query) => {
    switch (query.get('verb')) {
      case 'Identify':
        return envelope(
          '<Identify><repositoryName>R</repositoryName><baseURL>http://x/</baseURL><protocolVersion>2.0</protocolVersion><adminEmail>a@example.org</adminEmail><earliestDatestamp>2026-01-01</earliestDatestamp><deletedRecord>persistent</deletedRecord><granularity>YYYY-MM-DD</granularity></Identify>',
        );
      case 'ListMetadataFormats':
        return envelope(
          `<ListMetadataFormats>${['oai_dc', 'other_dc'].map((name) => `<metadataFormat><metadataPrefix>${name}</metadataPrefix><schema>http://x/</schema><metadataNamespace>http://www.openarchives.org/OAI/2.0/oai_dc/</metadataNamespace></metadataFormat>`).join('')}</ListMetadataFormats>`,
        );
      case 'ListRecords': {
        const [prefix = '', from = '', start = '0'] = (query.get('resumptionToken') ?? '').split(',');
        const format = prefix || (query.get('metadataPrefix') ?? '');
        const since = from || (query.get('from') ?? '0');
        const all = records(now.state, format).filter(
          (text) => (/<datestamp>(.*?)</.exec(text)?.[1] ?? '') >= since,
        );
        if (all.length === 0) return envelope('<error code="noRecordsMatch"/>');
        const end = Number(start) + pageSize;
        const token = end < all.length ? `${format},${since},${end}` : '';
        return envelope(
          `<ListRecords>${all.slice(Number(start), end).join('')}<resumptionToken completeListSize="${all.length}">${token}</resumptionToken></ListRecords>`,
        );
      }
      default:
        return envelope('<error code="noSetHierarchy"/>');
    }
  });
  return { url, now };
}

/** Harvests each of the repository's states, and publishes what came. @returns all rows, and all documents */
async function live(kind: 'sqlite' | 'pg', given: Awaited<ReturnType<typeof repository>>, readers?: Threads) {
  const { config, drop } = kind === 'sqlite' ? migratedSqlite() : await migratedPostgres();
  const database = openDatabase(config);
  const directory = await mkdtemp(join(tmpdir(), 'rsbridge-both-ways-'));
  const clock = createVirtualClock();
  const source = openSource('both', { url: given.url }, clock, database, readers ?? null);
  onTestFinished(async () => {
    await Promise.all([source.close(), database.close()]);
    await Promise.all([drop(), rm(directory, { recursive: true })]);
  });
  const publisher = createPublisher({
    database,
    directory,
    baseUrl: 'https://bridge.example.org',
    clock,
    log: silent,
  });
  const never = new AbortController().signal;
  for (const [state, mode] of (['full', 'incremental', 'full'] as const).entries()) {
    given.now.state = state;
    await harvest({ database, clock, log: silent }, source, { mode, stop: never, signal: never });
    for (const set of resourceSets('both')) await publisher.publish(set, { resourceList: 'always' });
    clock.advance(86_400);
  }
  const rows: Record<string, unknown> = {};
  for (const table of ['item', 'item_collection', 'resource', 'change', 'version', 'blob', 'problem']) {
    const all: object[] = await database.reader(table);
    rows[table] = all.map((row) => JSON.stringify(row)).sort();
  }
  const names = await readdir(directory, { recursive: true, withFileTypes: true });
  // Each file has a name by chance, which the pointer tells.
  const withoutChance = (text: string) => text.replace(/\.[0-9a-f]{8}\./g, '.');
  const documents: string[] = [];
  for (const entry of names.filter((one) => one.isFile() && !one.name.endsWith('.json'))) {
    const path = join(entry.parentPath, entry.name);
    const content = await readFile(path);
    documents.push(`${withoutChance(path.slice(directory.length))}\n${content.toString('latin1')}`);
  }
  documents.sort();
  return { rows, documents };
}

describe.each(['sqlite', 'pg'] as const)('on %s', (kind) => {
  test('read in threads or not: the same rows, and the same documents byte for byte', async () => {
    let jobs = 0;
    const counted: Threads = {
      begin: (...given) => {
        jobs += 1;
        return threads.begin(...given);
      },
      isReady: () => true,
    };
    const given = await repository();
    const here = await live(kind, given);
    const there = await live(kind, given, counted);
    expect(jobs).toBeGreaterThan(5);
    expect((here.rows.change as unknown[]).length).toBeGreaterThan(2 * total);
    expect(here.documents.length).toBeGreaterThan(20);
    expect(there.rows).toEqual(here.rows);
    expect(there.documents).toEqual(here.documents);
  });
});
