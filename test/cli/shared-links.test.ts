import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import type { Bridge } from '../../src/bridge/bridge.ts';
import { servesSource } from '../../src/bridge/state/stored-sources.ts';
import { openPublication } from '../../src/publish/published/publication.ts';
import { openDatabase } from '../../src/store/engine/database.ts';
import { envelope, formats } from '../house/adapters/scripted-provider.ts';
import { runMain } from '../house/cli/run-main.ts';
import { openHouse } from '../house/server/fixture.ts';

const baseUrl = 'https://bridge.example.org/rs';
const identify = envelope(
  '<Identify><repositoryName>Files</repositoryName><baseURL>http://repo.example.org/oai</baseURL><protocolVersion>2.0</protocolVersion><adminEmail>a@example.org</adminEmail><earliestDatestamp>2020-01-01T00:00:00Z</earliestDatestamp><deletedRecord>persistent</deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity></Identify>',
);

/** One server with two OAI-PMH endpoints, `/first` and `/second`, whose records name the same file. */
async function repositories() {
  const state = { url: '', file: '', deleted: new Set<string>() };
  const server = createServer((incoming, response) => {
    const { pathname, searchParams } = new URL(incoming.url ?? '/', state.url);
    if (pathname.endsWith('.pdf')) {
      const content = Buffer.from('%PDF');
      response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': content.length });
      response.end(content);
      return;
    }
    const name = pathname.slice(1);
    const isDeleted = state.deleted.has(name);
    const header = (status: string) =>
      `<header${status}><identifier>oai:${name}:1</identifier><datestamp>2024-01-0${isDeleted ? 2 : 1}T00:00:00Z</datestamp></header>`;
    const record = isDeleted
      ? `<record>${header(' status="deleted"')}</record>`
      : `<record>${header('')}<metadata><oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${name}</dc:title><dc:identifier>${state.file}</dc:identifier></oai_dc:dc></metadata></record>`;
    const bodies: Record<string, string> = {
      Identify: identify,
      ListMetadataFormats: formats,
      ListSets: envelope('<error code="noSetHierarchy">no sets</error>'),
      GetRecord: envelope(`<GetRecord>${record}</GetRecord>`),
    };
    const list = envelope(`<ListRecords>${record}</ListRecords>`);
    response.writeHead(200, { 'content-type': 'text/xml' });
    response.end(bodies[searchParams.get('verb') ?? ''] ?? list);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  state.file = `${state.url}/shared.pdf`;
  onTestFinished(() => void server.close());
  return state;
}

async function begin() {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-shared-'));
  const upstream = await repositories();
  const run = (...args: string[]) => runMain(directory, args);
  const configured: Record<string, object> = {};
  const configure = (names: readonly string[]) => {
    for (const name of Object.keys(configured)) delete configured[name];
    for (const name of names) configured[name] = { url: `${upstream.url}/${name}`, files: { mode: 'link' } };
    const config = { baseUrl, directory: 'data', network: { allow: ['127.0.0.1'] }, sources: configured };
    writeFileSync(join(directory, 'rsbridge.yaml'), stringify(config));
  };
  configure(['first', 'second']);
  const renew = async () => {
    expect(await run('harvest', '--full')).toMatchObject({ code: 0 });
    expect(await run('publish')).toMatchObject({ code: 0 });
  };
  await renew();
  const database = openDatabase({ client: 'sqlite', file: join(directory, 'data/rsbridge.db') });
  const bridge = { config: { sources: configured }, database } as unknown as Bridge;
  const house = await openHouse({
    ...{ database, baseUrl, publication: openPublication(join(directory, 'data')) },
    servesSource: (source) => servesSource(bridge, source),
    fileMode: (source) => (source in configured ? 'link' : undefined),
  });
  onTestFinished(async () => {
    await house.close();
    await database.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const get = async (path: string) => {
    const response = await request(`${await house.origin()}/${path}`);
    return { status: response.statusCode, text: await response.body.text() };
  };
  /** What the lists of a source say of the file: whether it is listed, and its changes. */
  const told = async (source: string) => {
    const list = (await get(`${source}/resourcelist.xml`)).text;
    const changes = (await get(`${source}/changelist.xml`)).text.split('<url>').slice(1);
    return {
      listed: list.split('<url>').filter((entry) => entry.includes(`<loc>${upstream.file}</loc>`)).length,
      changes: changes
        .filter((entry) => entry.includes(`<loc>${upstream.file}</loc>`))
        .map((entry) => /change="(\w+)"/.exec(entry)?.[1]),
    };
  };
  const past = async (form: string) => (await get(`${form}/${upstream.file}`)).status;
  return { upstream, run, configure, renew, told, past };
}

test('each source lists a URL that both link to, and loses it for itself', async () => {
  const { upstream, run, renew, told, past } = await begin();
  for (const source of ['first', 'second'])
    expect(await told(source)).toEqual({ listed: 1, changes: ['created'] });
  await renew();
  for (const source of ['first', 'second'])
    expect(await told(source)).toEqual({ listed: 1, changes: ['created'] });

  upstream.deleted.add('first');
  await renew();
  expect(await told('first')).toEqual({ listed: 0, changes: ['deleted'] });
  expect(await told('second')).toEqual({ listed: 1, changes: ['created'] });
  // Nothing is kept of it, but it is not gone.
  expect(await past('memento/20300101000000')).toBe(404);
  const living = await run('history', upstream.file);
  expect(living).toMatchObject({ code: 0, stdout: expect.stringContaining('of oai:second:1 (second)\n') });

  upstream.deleted.add('second');
  await renew();
  expect(await told('second')).toEqual({ listed: 0, changes: ['deleted'] });
  expect(await past('memento/20300101000000')).toBe(410);
  expect((await run('history', upstream.file)).stdout).toMatch(/of oai:first:1 \(first\), deleted at /);

  upstream.deleted.clear();
  await renew();
  expect((await told('first')).listed).toBe(1);
  expect((await told('second')).listed).toBe(1);
});

test('a URL that is withdrawn is withdrawn in every source, and restored in every source', async () => {
  const { upstream, run, renew, told, past } = await begin();
  const dry = await run('withdraw', upstream.file, '--dry-run');
  expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining('would withdraw') });
  const done = await run('withdraw', upstream.file, '--reason', 'a court says so');
  expect(done).toMatchObject({ code: 0, stderr: '' });
  expect(done.stdout).toContain(
    'several sources list that URL, and it is withdrawn in all of them: first, second',
  );
  expect(await past('memento/20300101000000')).toBe(410);
  const again = await run('withdraw', upstream.file);
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('[already-withdrawn]') });
  const lines = (await run('status', '--json')).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.filter(({ withdrawals }) => withdrawals?.[0]?.uri === upstream.file)).toHaveLength(2);
  await renew();
  for (const source of ['first', 'second'])
    expect(await told(source)).toEqual({ listed: 0, changes: ['deleted'] });

  const restored = await run('restore', upstream.file);
  expect(restored).toMatchObject({ code: 0, stderr: '' });
  expect(restored.stdout).toContain('first has delivered the item');
  expect(restored.stdout).toContain('second has delivered the item');
  await renew();
  for (const source of ['first', 'second']) expect((await told(source)).listed).toBe(1);
  expect((await run('restore', upstream.file)).stderr).toContain('[not-withdrawn]');
});

test('a source that is not configured any more does not answer for a URL that another one has', async () => {
  const { upstream, run, configure, renew, told, past } = await begin();
  upstream.deleted.add('second');
  await renew();
  configure(['second']);
  expect(await past('memento/20300101000000')).toBe(410);
  expect((await run('history', upstream.file)).stdout).toContain('of oai:second:1 (second), deleted at');
  expect(await run('remove', 'first')).toMatchObject({ code: 0 });
  expect((await run('remove', 'first', '--at-once')).code).toBe(0);
  expect(await past('memento/20300101000000')).toBe(410);
  upstream.deleted.clear();
  await renew();
  expect((await told('second')).listed).toBe(1);
});
