import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { itemPath } from '../../../src/core/uris.ts';
import { runMain } from '../../house/cli/run-main.ts';
import { type RestServer, startRestServer } from '../../house/dspace/rest/rest-server.ts';
import { sampleRepository } from '../../house/dspace/sample-repository.ts';

const base = 'https://bridge.example.org/rs';

describe.each([false, true])('versions of a DSpace item whose bare handle moves: %s', (canonicalHandles) => {
  let directory: string;
  let server: RestServer;
  let older: string;
  let newer: string;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'rsbridge-versions-'));
    const repository = sampleRepository({ items: 12, seed: 3, canonicalHandles });
    server = await startRestServer({ repository, version: '9.1', ui: 'http://127.0.0.1' });
    const source = { adapter: 'dspace', url: server.url, identity: 'oai:repo.example.org', oai: false };
    const settings = { ...source, files: { mode: 'none' } };
    writeFileSync(
      join(directory, 'rsbridge.yaml'),
      stringify({ baseUrl: base, sources: { repo: settings, same: settings } }),
    );
    const item = repository.items.find(({ number, version }) => number % 50 === 2 && !version);
    if (!item) throw new Error('no item');
    expect((await runMain(directory, ['harvest'])).code).toBe(0);
    const next = repository.newVersion(item);
    expect((await runMain(directory, ['harvest', '--full'])).code).toBe(0);
    older = item.handle ?? '';
    newer = next.handle ?? '';
  });
  afterEach(async () => {
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const named = (handle: string) => `oai:repo.example.org:${handle}`;
  const page = (handle: string) => `${base}/${itemPath('repo', named(handle))}`;
  const withdraw = async (text: string) => {
    const { code, stdout, stderr } = await runMain(directory, ['withdraw', text, '--dry-run']);
    return { code, said: stdout + stderr };
  };

  test('are told of, each with what there is to do about it', async () => {
    const { code, said } = await withdraw(page(newer));
    expect(code).toBe(0);
    if (canonicalHandles) {
      expect(said).toContain(`its earlier version ${named(older)} is shown at the same addresses`);
      return;
    }
    // Two sources have it: the name alone is not enough, and the advice is.
    const [, advised = ''] = /its earlier version .*: rsbridge withdraw (\S+)/.exec(said) ?? [];
    expect(advised).toBe(page(older));
    expect((await withdraw(named(older))).code).toBe(2);
    expect((await withdraw(advised)).code).toBe(0);
  });

  test('have no names of their own where they have no addresses, and that is said', async () => {
    if (!canonicalHandles) return;
    for (const text of [named(older), page(older), `http://hdl.handle.net/${older}`]) {
      const { code, said } = await withdraw(text);
      expect(code).toBe(2);
      expect(said).toContain(`is an earlier version of ${named(newer)}`);
      expect(said).toContain(`rsbridge withdraw ${page(newer)}`);
    }
    expect((await withdraw(named('123456789/9.99'))).said).toContain('no item or resource is named');
  });

  test('go together, and the address of a memento says so', async () => {
    const { said } = await withdraw(`${base}/memento/20260101000000/${page(newer)}/oai_dc.xml`);
    expect(said).toContain('no version is withdrawn alone');
    expect((await withdraw(`${page(newer)}/oai_dc.xml`)).said).not.toContain('no version is withdrawn alone');
  });
});
