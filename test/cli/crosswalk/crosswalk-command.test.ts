import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { identifierOf, itemAt, type SampleDspace, startSample } from '../../house/adapters/sample-dspace.ts';
import { runMain } from '../../house/cli/run-main.ts';
import { placeMigrated } from '../../house/store/databases.ts';

const directory = mkdtempSync(join(tmpdir(), 'rsbridge-crosswalk-'));
let sample: SampleDspace;
const crosswalk = (...args: readonly string[]) => runMain(directory, ['crosswalk', ...args]);

beforeAll(async () => {
  sample = await startSample();
  placeMigrated(join(directory, 'test.db'));
  const dspace = `adapter: dspace, url: '${sample.server.url}', identity: 'oai:repo.example.org'`;
  const fields = `{ jpcoar: { dc.contributor.author: 'contributor:Editor' }, fields: { dc.type: nothing } }`;
  writeFileSync(
    join(directory, 'rsbridge.yaml'),
    `database: { client: sqlite, file: test.db }
directory: ${directory}
network: { allow: [127.0.0.1] }
sources:
  kyoto: { ${dspace}, formats: [oai_dc] }
  own: { ${dspace}, crosswalk: ${fields} }
  local: { ${dspace}, crosswalk: { jpcoar: { local.note: nothing }, openaire: { dc.local.ndc: 'subject:NDC' } } }
  other: { url: 'http://127.0.0.1:9/oai' }
`,
  );
});
afterAll(async () => {
  await sample.server.close();
  rmSync(directory, { recursive: true, force: true });
});

test('an item of a repository stands beside what becomes of it', async () => {
  const identifier = identifierOf(itemAt(sample, 0));
  const { code, stdout } = await crosswalk('kyoto', identifier, '--to', 'jpcoar_2.0');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^dc\.\S+ .* \| <\?xml version/);
  expect(stdout).toMatch(/^dc\.title .* \| /m);
  expect(stdout).toContain(' |   <dc:title xml:lang=');
  expect(stdout).not.toContain('not taken');
  const json = await crosswalk('kyoto', identifier, '--to', 'oai_openaire', '--json');
  const said = JSON.parse(json.stdout);
  expect(said).toMatchObject({ source: 'kyoto', identifier, to: 'oai_openaire' });
  expect(said.document).toContain('<oaire:resource ');
  expect(said.fields).toContainEqual(expect.objectContaining({ field: 'dc.title' }));
});

test('settings of the source count, and what it lacks is told below', async () => {
  const identifier = identifierOf(itemAt(sample, 0));
  const { code, stdout } = await crosswalk('own', identifier, '--to', 'jpcoar_2.0');
  expect(code).toBe(4);
  expect(stdout).toContain(' | (nothing is written)');
  expect(stdout).toContain('\ndc:type missing, M: ');
});

test('fields that nothing is made of are named, until the settings say what they are', async () => {
  const item = itemAt(sample, 0);
  sample.repository.editMetadata(item, {
    'dc.local.ndc': ['519'],
    'local.note': ['x'],
    'dc.type': ['Article'],
  });
  const { stdout } = await crosswalk('kyoto', identifierOf(item), '--to', 'oai_openaire');
  expect(stdout).toMatch(/\nnot taken: dc\.local\.ndc, local\.note\n$/);
  const own = await crosswalk('local', identifierOf(item), '--to', 'oai_openaire');
  expect(own.stdout).toMatch(/\nnot taken: local\.note\n$/);
  expect(own.stdout).toContain('<datacite:subject subjectScheme="NDC">519<');
});

test('what is no item, no DSpace or no target is refused', async () => {
  const absent = await crosswalk('kyoto', 'oai:repo.example.org:1/99999', '--to', 'jpcoar_2.0');
  expect(absent).toMatchObject({ code: 2, stderr: expect.stringContaining('does not have') });
  const other = await crosswalk('other', 'oai:a:1', '--to', 'jpcoar_2.0');
  expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('is read by oai-pmh') });
  expect((await crosswalk('kyoto', 'oai:a:1', '--to', 'mets')).code).toBe(2);
  expect((await crosswalk('kyoto', 'oai:a:1')).code).toBe(2);
});
