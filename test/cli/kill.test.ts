import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { systemClock } from '../../src/bridge/system-clock.ts';
import { createSampleRepository, type SampleRepository } from '../../src/demo/sample-repository.ts';
import { openPublication } from '../../src/publish/published/publication.ts';
import { type Database, openDatabase } from '../../src/store/engine/database.ts';
import { type Gateway, openGateway, rsbridge } from '../house/cli/processes.ts';
import { runBeside } from '../house/cli/run-beside.ts';
import { migratedPostgres, migratedSqlite } from '../house/store/databases.ts';

/** kill -9 at any moment: the next run continues, repeats no change and loses none. */
describe.each(['sqlite', 'pg'] as const)('kill -9 on %s', (kind) => {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-kill-'));
  let repository: SampleRepository;
  let gateway: Gateway;
  let database: Database;
  let drop: () => Promise<void>;

  beforeAll(async () => {
    repository = createSampleRepository({ clock: systemClock, records: 80 });
    gateway = await openGateway((await repository.listen(0)).url);
    const made = kind === 'sqlite' ? migratedSqlite() : await migratedPostgres();
    drop = made.drop;
    database = openDatabase(made.config);
    const sources = { sample: { url: gateway.url, overlapSeconds: 5 } };
    const config = { baseUrl: 'http://127.0.0.1:1', database: made.config, directory: 'data', sources };
    writeFileSync(join(directory, 'rsbridge.yaml'), stringify(config));
  });

  afterAll(async () => {
    await database.close();
    await gateway.close();
    await repository.close();
    await drop();
    rmSync(directory, { recursive: true, force: true });
  });

  async function run(...args: string[]) {
    const result = await runBeside(directory, args);
    expect(result, result.stderr).toMatchObject({ code: 0 });
    return result;
  }

  async function killedAtRequest(count: number): Promise<void> {
    const { child, finished } = rsbridge(['harvest'], directory);
    gateway.count = 0;
    gateway.onRequest = (reached) => reached === count && child.kill('SIGKILL');
    await finished;
    gateway.onRequest = undefined;
  }

  interface JournalEntry {
    readonly seq: number;
    readonly kind: string;
    readonly resource_id: number;
    readonly at: string;
  }

  const journal = (): Promise<JournalEntry[]> =>
    database.reader('change').select('seq', 'kind', 'resource_id', 'at').orderBy('seq');

  function expectSound(entries: readonly JournalEntry[]): void {
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1));
    const times = entries.map(({ at }) => at);
    expect(times).toEqual([...times].sort());
  }

  test('during a harvest', async () => {
    for (const count of [1, 3, 4, 5, 7, 8]) await killedAtRequest(count);
    const before = await journal();
    expectSound(before);
    await run('harvest');
    const after = await journal();
    expectSound(after);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.every((entry) => entry.kind === 'created')).toBe(true);
    expect(new Set(after.map((entry) => entry.resource_id)).size).toBe(after.length);
    const [items] = await database.reader('item').count({ count: '*' });
    const [resources] = await database.reader('resource').count({ count: '*' });
    expect(after).toHaveLength(Number(resources?.count));
    expect(Number(resources?.count)).toBe(Number(items?.count) * 3);
  });

  test('during a publication', async () => {
    for (const delay of [700, 900, 1000, 1100, 1200, 1400]) {
      const { child, finished } = rsbridge(['publish'], directory);
      const timer = setTimeout(() => child.kill('SIGKILL'), delay);
      await finished;
      clearTimeout(timer);
      await expectWholePublication();
    }
    await run('publish');
    expect(await expectWholePublication()).toBe(2);
  });

  /** Every document that is visible is there to its last byte. @returns how many sets are published */
  async function expectWholePublication(): Promise<number> {
    const publication = openPublication(join(directory, 'data'));
    const sets = await publication.sets();
    for (const { path } of sets.flatMap((set) => set.documents)) {
      const document = await publication.find(path);
      const chunks: Buffer[] = [];
      for await (const chunk of document?.plain.open(0, document.plain.length) ?? [])
        chunks.push(chunk as Buffer);
      const text = Buffer.concat(chunks).toString();
      expect(text.length, path).toBeGreaterThan(0);
      expect(Buffer.byteLength(text), path).toBe(document?.plain.length);
      expect(text.trimEnd(), path).toMatch(/<\/(urlset|sitemapindex)>$/);
    }
    return sets.length;
  }
});
