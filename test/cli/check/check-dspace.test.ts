import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { legacyStatus, oaiEndpoint, repositoryHost } from '../../house/cli/repository-host.ts';
import { runMain } from '../../house/cli/run-main.ts';
import { type RestServerOptions, startRestServer } from '../../house/dspace/rest/rest-server.ts';
import { sampleRepository } from '../../house/dspace/sample-repository.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-check-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const run = (...args: string[]) => runMain(directory, args);

function configure(url: string, adapter = 'dspace', more = ''): void {
  const text = `sources:\n  repo:\n    adapter: ${adapter}\n    url: ${url}\n${more}`;
  writeFileSync(join(directory, 'rsbridge.yaml'), text);
}

async function open(options: Partial<RestServerOptions> = {}) {
  const repository = options.repository ?? sampleRepository({ items: 12, mix: 'open', filesEach: 2 });
  const server = await startRestServer({ ...options, repository });
  onTestFinished(() => server.close());
  return server;
}

async function check() {
  const outcome = await run('check', '--json');
  const findings = outcome.stdout
    .trim()
    .split('\n')
    .map((line): { check: string; ok: boolean; message: string } => JSON.parse(line));
  return { ...outcome, find: (name: string) => findings.find((finding) => finding.check === name) };
}

describe('check of a DSpace', () => {
  test('says what it is, and that there is no OAI-PMH endpoint, which it does not need', async () => {
    const server = await open({ version: '9.1' });
    configure(server.url);
    const { code, find, stderr } = await check();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(find('source repo')).toMatchObject({
      ok: true,
      message: expect.stringMatching(
        /DSpace REST 9\.1.*formats oai_dc, dim, qdc, json.*files by proxy, of ORIGINAL/,
      ),
    });
    expect(find('OAI-PMH of repo')).toMatchObject({
      ok: true,
      message: expect.stringContaining('there is none'),
    });
    expect(find('link sets of repo')).toMatchObject({ ok: true, message: expect.stringContaining('yet') });
    expect(find('login of repo')).toBeUndefined();
  });

  test('says whether the login is let in', async () => {
    const server = await open();
    const login = (password: string) => `    login: { user: admin@example.org, password: ${password} }\n`;
    configure(server.url, 'dspace', login('secret of the admin'));
    expect((await check()).find('login of repo')).toMatchObject({ ok: true });
    configure(server.url, 'dspace', login('wr0ng-one'));
    const { code, stdout, find } = await check();
    expect(code).toBe(3);
    expect(find('source repo')).toMatchObject({
      ok: false,
      message: expect.stringContaining('upstream-login-refused'),
    });
    expect(stdout).not.toContain('wr0ng-one');
  });

  test('holds what is published against the link sets of the repository', async () => {
    const server = await open();
    configure(server.url);
    expect(await run('harvest')).toMatchObject({ code: 0 });
    expect((await check()).find('link sets of repo')).toMatchObject({
      ok: true,
      message: '3 items compared, 6 files in both',
    });
    // One file of each item is taken away, and nobody has harvested since.
    const { repository } = server;
    for (const item of repository.items) repository.removeBitstream(item, item.files[0]?.uuid ?? '');
    const { code, find } = await check();
    expect(code).toBe(4);
    expect(find('link sets of repo')).toMatchObject({
      ok: false,
      message: expect.stringContaining('1 file published here is not in its link set'),
    });
  });

  test('does not mind that the link sets name files that not everybody may read', async () => {
    const server = await open();
    const { repository } = server;
    for (const item of repository.items) repository.restrictBitstream(item.files[1]?.uuid ?? '');
    configure(server.url);
    await run('harvest');
    expect((await check()).find('link sets of repo')).toMatchObject({
      ok: true,
      message: '3 items compared, 3 files in both, 3 more are held back',
    });
  });

  test('has nothing to compare where link sets are switched off', async () => {
    const server = await open({ switches: { signposting: false } });
    configure(server.url);
    await run('harvest');
    expect((await check()).find('link sets of repo')).toMatchObject({
      ok: true,
      message: expect.stringContaining('not to be compared: they are not offered'),
    });
  });
});

describe('check of a DSpace 5 or 6', () => {
  test('says where its OAI-PMH endpoint is, and what it costs not to have one', async () => {
    const host = await repositoryHost({ '/rest/status': legacyStatus, '/oai/request': oaiEndpoint });
    configure(`${host.origin}/rest`, 'dspace-legacy');
    expect((await check()).find('OAI-PMH of repo')).toMatchObject({
      ok: true,
      message: `it is at ${host.origin}/oai/request`,
    });
    host.routes.delete('/oai/request');
    expect((await check()).find('OAI-PMH of repo')).toMatchObject({
      ok: true,
      message: expect.stringContaining('every harvest has to read everything'),
    });
  });

  test('one that is configured has to be there', async () => {
    const host = await repositoryHost({ '/rest/status': legacyStatus });
    configure(`${host.origin}/rest`, 'dspace-legacy', `    oai: ${host.origin}/oai/request\n`);
    expect((await check()).code).toBe(3);
  });
});
