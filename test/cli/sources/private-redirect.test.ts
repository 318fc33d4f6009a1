import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { failure, formats, identity, list, provide, record } from '../../house/adapters/scripted-provider.ts';
import { runMain } from '../../house/cli/run-main.ts';

vi.setConfig({ testTimeout: 60_000 });

let directory: string;
let url: string;

/** Redirects to an address that is not public. */
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-private-'));
  const behind = await provide((query) => {
    const verb = query.get('verb');
    if (verb === 'Identify') return identity();
    if (verb === 'ListMetadataFormats') return formats;
    return verb === 'ListRecords' ? list([record('oai:repo:1')]) : failure('noSetHierarchy');
  });
  const location = behind.url.replace('127.0.0.1', 'localhost');
  const { url: before } = await provide((_query, _nth, path) => ({
    status: 302,
    headers: { location: `${new URL(location).origin}${path}` },
    body: '',
  }));
  url = before;
  writeFileSync(join(directory, 'rsbridge.yaml'), JSON.stringify({ sources: {} }));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('what is added is looked at by the settings that it is to have', async () => {
  const refused = await runMain(directory, ['sources', 'add', url, '--name', 'repo']);
  expect(refused.code).toBe(3);
  expect(refused.stderr).toMatch(/localhost is not a public address.*`?allowPrivateAddresses: true/s);
  const added = await runMain(directory, [
    ...['sources', 'add', url, '--name', 'repo', '--set', 'allowPrivateAddresses=true'],
  ]);
  expect(added, added.stderr).toMatchObject({ code: 0 });
  expect((await runMain(directory, ['harvest'])).stdout).toContain('1 created');
});

test('a column of a list says it, too, and so does `network.allow`', async () => {
  writeFileSync(join(directory, 'some.csv'), `url,name\n${url},plain\n`);
  const refused = await runMain(directory, ['sources', 'import', 'some.csv']);
  expect(refused.stdout).toMatch(/plain.*localhost is not a public address.*allowPrivateAddresses/);
  writeFileSync(join(directory, 'rsbridge.yaml'), JSON.stringify({ network: { allow: ['localhost'] } }));
  const allowed = await runMain(directory, ['sources', 'import', 'some.csv', '--dry-run']);
  expect(allowed.stdout).toMatch(/plain +added/);
  writeFileSync(join(directory, 'rsbridge.yaml'), '{}');
  writeFileSync(join(directory, 'some.csv'), `url,name,allowPrivateAddresses\n${url},open,true\n`);
  const added = await runMain(directory, ['sources', 'import', 'some.csv']);
  expect(added.stdout).toMatch(/open +added/);
});
