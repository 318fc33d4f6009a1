import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { crosswalk } from '../../../src/core/crosswalks/crosswalk.ts';
import { mapItem } from '../../../src/core/mapping/mapping.ts';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { storePage } from '../../../src/store/pages/store-page.ts';
import { acquireLease } from '../../../src/store/runs/leases.ts';
import { startRun } from '../../../src/store/runs/runs.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { runMain } from '../../house/cli/run-main.ts';
import { item, value } from '../../house/core/items.ts';
import { placeMigrated } from '../../house/store/databases.ts';

const directory = mkdtempSync(join(tmpdir(), 'rsbridge-quality-'));
const now = '2026-11-21T10:00:00Z';
const formats = ['json', 'jpcoar_2.0'];
let database: Database;
const quality = (...args: readonly string[]) => runMain(directory, ['quality', ...args]);

beforeAll(async () => {
  database = openDatabase({ client: 'sqlite', file: placeMigrated(join(directory, 'test.db')) });
  const source = `{ adapter: dspace, url: 'http://127.0.0.1:9/api', formats: [json, jpcoar_2.0] }`;
  writeFileSync(
    join(directory, 'rsbridge.yaml'),
    `database: { client: sqlite, file: test.db }\ndirectory: ${directory}\nsources: { kyoto: ${source}, empty: { adapter: dspace, url: 'http://127.0.0.1:9/api' }, foreign: { url: 'http://127.0.0.1:9/oai' } }\n`,
  );
  await ensureSource(database, 'kyoto', now);
  const lease = await acquireLease(database, 'kyoto', Date.parse(now));
  const pass = { sourceId: lease.sourceId, mode: 'full', selection: '{}', since: undefined } as const;
  const run = await startRun(database.writer, { ...pass, startedAt: now });
  const titles = [value('dc.title', '=Snow'), value('dc.source.spage', '=e12')];
  const items = [titles, [...titles, value('dc.type', 'Article')]].map((metadata, number) => ({
    ...{ identifier: `oai:a:${number}`, datestamp: now, collections: [], files: [], deleted: false },
    speaksFor: { formats, files: undefined },
    metadata: crosswalk(formats, item(metadata)),
  }));
  const page = { items: items.map((one) => mapItem('kyoto', one)), problems: [], checkpoint: undefined };
  await storePage(database, lease, run, page, { iso: now, milliseconds: Date.parse(now) });
});
afterAll(async () => {
  await database.close();
  rmSync(directory, { recursive: true, force: true });
});

test('each finding is counted, with examples', async () => {
  const { code, stdout } = await quality('kyoto', '--examples', '1');
  expect(code).toBe(4);
  const lines = stdout.trim().split('\n');
  expect(lines.slice(0, 3)).toEqual([
    'kyoto, jpcoar_2.0: 1 record, 1 item not in it; 0 with all that it asks for',
    '  1 item: dc:type missing, M: It does not say what kind of work it is.',
    '        http://localhost:8080/kyoto/items/oai:a:0',
  ]);
  expect(stdout).toContain('  1 item: jpcoar:pageStart left out (dc.source.spage): It is no whole number');
  expect((await quality('kyoto', '--examples', '0')).stdout).not.toContain('http://localhost');
});

test('programs and spreadsheets get it, too', async () => {
  const rows = (await quality('kyoto', '--json')).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(rows[0]).toEqual({ source: 'kyoto', format: 'jpcoar_2.0', items: 2, written: 1, complete: 0 });
  expect(rows[1]).toMatchObject({
    element: 'dc:type',
    level: 'M',
    items: 1,
    examples: [{ identifier: 'oai:a:0' }],
  });
  const { code, stdout } = await quality('kyoto', '--csv');
  expect(code).toBe(4);
  const lines = stdout.trim().split('\r\n');
  expect(lines[0]).toContain('identifier,uri,format,finding,level,element,field,value,message');
  expect(lines.find((line) => line.includes('jpcoar:pageStart'))).toContain(`dc.source.spage,"'=e12",`);
});

test('a source without such records says what to do, and one that is not there is refused', async () => {
  const { code, stderr } = await quality('empty');
  expect(code).toBe(2);
  expect(stderr).toContain(
    'give it `formats: [oai_dc, dim, qdc, json, jpcoar_2.0, oai_openaire]`, and run rsbridge harvest empty --full',
  );
  expect((await quality('foreign')).stderr).toContain('name the one that its endpoint offers in `formats`');
  expect((await quality('nobody')).code).toBe(2);
});
