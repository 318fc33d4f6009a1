import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { acquireLease } from '../../../src/store/runs/leases.ts';
import { envelope, provide, record } from '../../house/adapters/scripted-provider.ts';
import { runMain } from '../../house/cli/run-main.ts';

let directory: string;
let isDown = false;
let base = '';

const identify = envelope(
  '<Identify><repositoryName>Scripted</repositoryName><baseURL>http://repo.example.org/oai</baseURL><protocolVersion>2.0</protocolVersion><adminEmail>a@example.org</adminEmail><earliestDatestamp>2020-01-01T00:00:00Z</earliestDatestamp><deletedRecord>persistent</deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity></Identify>',
);
const formats = envelope(
  '<ListMetadataFormats><metadataFormat><metadataPrefix>oai_dc</metadataPrefix><schema>http://www.openarchives.org/OAI/2.0/oai_dc.xsd</schema><metadataNamespace>http://www.openarchives.org/OAI/2.0/oai_dc/</metadataNamespace></metadataFormat></ListMetadataFormats>',
);

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-withdraw-'));
  isDown = false;
  const { url } = await provide((query) => {
    if (isDown) return '<html>down</html>';
    switch (query.get('verb')) {
      case 'Identify':
        return identify;
      case 'ListMetadataFormats':
        return formats;
      case 'ListSets':
        return envelope('<error code="noSetHierarchy">no sets</error>');
      case 'GetRecord':
        return envelope(`<GetRecord>${record(query.get('identifier') ?? '')}</GetRecord>`);
      default:
        return envelope(`<ListRecords>${record('oai:a:1')}${record('oai:a:2')}</ListRecords>`);
    }
  });
  base = 'https://bridge.example.org/rs';
  writeFileSync(
    join(directory, 'rsbridge.yaml'),
    stringify({ baseUrl: base, sources: { repo: { url, files: { mode: 'none' } } } }),
  );
  expect((await runMain(directory, ['harvest'])).code).toBe(0);
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const uri = (item: string) => `${base}/repo/items/${item}/oai_dc.xml`;

async function listed(): Promise<readonly string[]> {
  const database = openDatabase({ client: 'sqlite', file: join(directory, 'data/rsbridge.db') });
  const rows: { path: string }[] = await database
    .reader('resource')
    .whereNull('deleted_at')
    .orderBy('path')
    .select('path');
  await database.close();
  return rows.map(({ path }) => path);
}

test('an item is withdrawn, stays so through full harvests, is listed by status, and comes back with restore', async () => {
  const dry = await runMain(directory, ['withdraw', 'oai:a:1', '--dry-run']);
  expect(dry).toMatchObject({ code: 0 });
  expect(dry.stdout).toContain(uri('oai:a:1'));
  expect(await listed()).toHaveLength(2);

  const done = await runMain(directory, ['withdraw', 'oai:a:1', '--reason', 'a court says so']);
  expect(done).toMatchObject({ code: 0, stderr: '' });
  expect(done.stdout).toContain('1 address answers 410 from now on');
  expect(await listed()).toEqual(['repo/items/oai:a:2/oai_dc.xml']);
  expect((await runMain(directory, ['harvest', '--full'])).code).toBe(0);
  expect(await listed()).toEqual(['repo/items/oai:a:2/oai_dc.xml']);

  const status = await runMain(directory, ['status']);
  expect(status.stdout).toMatch(
    /^ {2}- withdrawn at \S+: https:\/\/bridge\.example\.org\/rs\/repo\/items\/oai:a:1, the whole item: a court says so$/m,
  );
  const [line = '{}'] = (await runMain(directory, ['status', '--json'])).stdout.split('\n');
  expect(JSON.parse(line).withdrawals).toMatchObject([
    { identifier: 'oai:a:1', whole: true, reason: 'a court says so' },
  ]);

  const again = await runMain(directory, ['withdraw', `${base}/repo/items/oai:a:1`]);
  expect(again).toMatchObject({ code: 2 });
  expect(again.stderr).toContain('[already-withdrawn]');
  expect(again.stderr).toContain('a court says so');
  const part = await runMain(directory, ['restore', uri('oai:a:1')]);
  expect(part).toMatchObject({ code: 2 });
  expect(part.stderr).toContain(`rsbridge restore ${base}/repo/items/oai:a:1`);

  const restored = await runMain(directory, ['restore', 'oai:a:1']);
  expect(restored).toMatchObject({ code: 0 });
  expect(restored.stdout).toContain('it is published again');
  expect(await listed()).toHaveLength(2);
  expect((await runMain(directory, ['status'])).stdout).not.toContain('withdrawn at');
});

test('what cannot be restored at once comes with the next harvest', async () => {
  await runMain(directory, ['withdraw', uri('oai:a:2')]);
  expect(await listed()).toEqual(['repo/items/oai:a:1/oai_dc.xml']);
  isDown = true;
  const restored = await runMain(directory, ['restore', uri('oai:a:2')]);
  expect(restored).toMatchObject({ code: 0 });
  expect(restored.stdout).toContain('the next harvest of repo reads everything');
  expect(await listed()).toHaveLength(1);
  isDown = false;
  expect((await runMain(directory, ['harvest'])).code).toBe(0);
  expect(await listed()).toHaveLength(2);
});

test('what is not there, or not withdrawn, is said in a sentence', async () => {
  const unknown = await runMain(directory, ['withdraw', `${base}/repo/items/oai:a:9/oai_dc.xml`]);
  expect(unknown).toMatchObject({ code: 2 });
  expect(unknown.stderr).toContain('[unknown-resource]');
  const open = await runMain(directory, ['restore', 'oai:a:1']);
  expect(open).toMatchObject({ code: 2 });
  expect(open.stderr).toContain('[not-withdrawn]');
});

test('beside a harvest that holds the source it is refused at once, and told with the next', async () => {
  const database = openDatabase({ client: 'sqlite', file: join(directory, 'data/rsbridge.db') });
  // Not this process, but one that lives.
  const lease = await acquireLease(database, 'repo', Date.now());
  await database
    .writer('source')
    .update({ harvest_holder: lease.holder.replace(/\/\d+\//, `/${process.ppid}/`) });
  const done = await runMain(directory, ['withdraw', 'oai:a:1']);
  expect(done).toMatchObject({ code: 0 });
  expect(done.stdout).toContain('its source is being harvested');
  await database.writer('source').update({ harvest_holder: null, harvest_expires: null });
  expect(await database.reader('resource').whereNotNull('withdrawn_at').select('path')).toHaveLength(1);
  await database.close();
  expect((await runMain(directory, ['harvest'])).code).toBe(0);
  expect(await listed()).toEqual(['repo/items/oai:a:2/oai_dc.xml']);
});
