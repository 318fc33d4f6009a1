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
  const state = { status: 200, url: '' };
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
      `<record><header><identifier>oai:a:${index}</identifier><datestamp>2024-01-01T00:00:00Z</datestamp></header><metadata><oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${index}</dc:title><dc:identifier>${state.url}/files/${index}.pdf</dc:identifier></oai_dc:dc></metadata></record>`;
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
      /needs attention: since .* its server refuses so many files.*rsbridge refused repo\)/,
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
