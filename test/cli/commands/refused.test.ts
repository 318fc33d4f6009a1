import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { envelope, formats } from '../../house/adapters/scripted-provider.ts';
import { runMain } from '../../house/cli/run-main.ts';

const identify = envelope(
  '<Identify><repositoryName>Files</repositoryName><baseURL>http://repo.example.org/oai</baseURL><protocolVersion>2.0</protocolVersion><adminEmail>a@example.org</adminEmail><earliestDatestamp>2020-01-01T00:00:00Z</earliestDatestamp><deletedRecord>persistent</deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity></Identify>',
);

/** A repository of so many records, each with a file beside its OAI-PMH endpoint. */
async function repository(count: number) {
  /** Where its files lie; undefined: at itself. */
  const state: { status: number; url: string; files?: string } = { status: 200, url: '' };
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', state.url);
    if (pathname !== '/oai') {
      const content = Buffer.from(`%PDF of ${pathname}`);
      const headers = { 'content-type': 'application/pdf', 'content-length': content.length };
      if (state.status === 200) response.writeHead(200, headers).end(content);
      else response.writeHead(state.status, { 'content-type': 'application/json' }).end('{}');
      return;
    }
    const verb = searchParams.get('verb');
    const record = (_: unknown, index: number) =>
      `<record><header><identifier>oai:a:${index}</identifier><datestamp>2024-01-01T00:00:00Z</datestamp></header><metadata><oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${index}</dc:title><dc:identifier>${state.files ?? state.url}/files/${index}.pdf</dc:identifier></oai_dc:dc></metadata></record>`;
    const bodies: Record<string, string> = {
      Identify: identify,
      ListMetadataFormats: formats,
      ListSets: envelope('<error code="noSetHierarchy">no sets</error>'),
    };
    const list = envelope(`<ListRecords>${Array.from({ length: count }, record).join('')}</ListRecords>`);
    response.writeHead(200, { 'content-type': 'text/xml' }).end(bodies[verb ?? ''] ?? list);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => void server.close());
  return state;
}

test('refused lists what is not handed out, and deletes exactly what was listed', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-refused-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const upstream = await repository(31);
  const run = (...args: string[]) => runMain(directory, args);
  writeFileSync(join(directory, 'rsbridge.yaml'), `sources:\n  repo:\n    url: ${upstream.url}/oai\n`);
  expect(await run('harvest')).toMatchObject({ code: 0, stdout: expect.stringContaining('62 created') });
  expect(await run('refused', 'repo')).toMatchObject({
    code: 0,
    stdout: 'repo: every published file is served\n',
  });

  upstream.status = 403;
  expect(await run('harvest', '--full')).toMatchObject({ stdout: expect.stringContaining('0 deleted') });
  expect(await run('status')).toMatchObject({
    code: 4,
    stdout: expect.stringMatching(
      /needs attention: since .* so many of its files cannot be handed out.*rsbridge refused repo\)/,
    ),
  });
  const listed = await run('refused', 'repo');
  expect(listed.code).toBe(4);
  expect(listed.stdout).toMatch(/^repo: 31 published files not served, too many at once/);
  expect(listed.stdout).toContain(
    `/repo/items/oai:a:7/files/1-7.pdf: ${upstream.url}/files/7.pdf: it is forbidden (403), since 2`,
  );
  const [, moment = ''] = /rsbridge refused repo --accept (\S+)\n$/.exec(listed.stdout) ?? [];
  const rows = (await run('refused', 'repo', '--json')).stdout.trim().split('\n');
  expect(rows).toHaveLength(31);
  expect(JSON.parse(rows[0] ?? '')).toMatchObject({ source: 'repo', outcome: 'refused' });

  expect(await run('refused', 'repo', '--accept', '2020-01-01')).toMatchObject({ code: 4 });
  expect(await run('refused', 'repo', '--accept', moment)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('31 deleted'),
  });
  expect(await run('status')).toMatchObject({ code: 0 });

  // Open again, they are asked for at the next full pass, and are back.
  upstream.status = 200;
  await run('harvest', '--full');
  expect(await run('status')).toMatchObject({ code: 0, stdout: expect.stringContaining('62 resources') });
});

test('files at addresses that are not public are told apart, and are asked for when they are allowed', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-refused-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const upstream = await repository(3);
  const files = await repository(0);
  upstream.files = files.url;
  const run = (...args: string[]) => runMain(directory, args);
  const configure = (network: string) =>
    writeFileSync(
      join(directory, 'rsbridge.yaml'),
      `${network}sources:\n  repo:\n    url: ${upstream.url}/oai\n    files: { mode: proxy }\n`,
    );
  configure('');
  await run('harvest');
  const status = await run('status');
  expect(status.stdout).toContain(
    'files: 3 at addresses that are not public: not asked for, and not published\n',
  );
  expect(status.stdout).not.toMatch(/refused by their servers|gone from/);
  expect(status.stdout).toContain('rsbridge refused repo --all names them');
  expect(JSON.parse((await run('status', '--json')).stdout)).toMatchObject({
    files: { refused: 0, atPrivateAddresses: 3 },
    withheldFiles: { refused: 0, gone: 0, atPrivateAddresses: 0 },
  });
  const told = await run('refused', 'repo');
  expect(told.code).toBe(0);
  expect(told.stdout).toContain('repo: every published file is served\n');
  expect(told.stdout).toContain(
    'repo: 3 files are not published: 3 never asked for, at addresses that are not public: `network.allow`',
  );
  expect((await run('refused', 'repo', '--all')).stdout).toContain(
    `  ${files.url}/files/1.pdf: 127.0.0.1 is not a public address, seen last at `,
  );
  const rows = (await run('refused', 'repo', '--all', '--json')).stdout.trim().split('\n');
  expect(rows.map((row) => JSON.parse(row))).toMatchObject(
    ['0', '1', '2'].map((name) => ({
      ...{ source: 'repo', published: false, atPrivateAddress: true },
      url: `${files.url}/files/${name}.pdf`,
    })),
  );

  configure(`network:\n  allow: ['${new URL(files.url).host}']\n`);
  await run('harvest');
  expect((await run('status')).stdout).toContain('files: 3 confirmed\n');
  expect(await run('refused', 'repo')).toMatchObject({ stdout: 'repo: every published file is served\n' });

  // Forbidden again, what is published of them is withheld for our sake, not for that of their servers.
  configure('');
  await run('harvest', '--full');
  const again = JSON.parse((await run('status', '--json')).stdout);
  expect(again.files).toMatchObject({ refused: 0, atPrivateAddresses: 3 });
});
