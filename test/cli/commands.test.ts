import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/store/engine/database.ts';
import { type Answer, envelope, provide, record } from '../house/adapters/scripted-provider.ts';
import { rsbridge } from '../house/cli/processes.ts';
import { runMain } from '../house/cli/run-main.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-cli-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const run = (...args: string[]) => runMain(directory, args);

function configure(url: string, more = ''): void {
  writeFileSync(join(directory, 'rsbridge.yaml'), `sources:\n  repo:\n    url: ${url}\n${more}`);
}

const formats = envelope(
  '<ListMetadataFormats><metadataFormat><metadataPrefix>oai_dc</metadataPrefix><schema>http://www.openarchives.org/OAI/2.0/oai_dc.xsd</schema><metadataNamespace>http://www.openarchives.org/OAI/2.0/oai_dc/</metadataNamespace></metadataFormat></ListMetadataFormats>',
);
const identify = (deleted: string) =>
  envelope(
    `<Identify><repositoryName>Scripted</repositoryName><baseURL>http://repo.example.org/oai</baseURL><protocolVersion>2.0</protocolVersion><adminEmail>a@example.org</adminEmail><earliestDatestamp>2020-01-01T00:00:00Z</earliestDatestamp><deletedRecord>${deleted}</deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity></Identify>`,
  );

/** A well-behaved repository, but for what `list` answers. */
function repository(list: (query: URLSearchParams) => Answer, deleted = 'no') {
  return provide((query) => {
    switch (query.get('verb')) {
      case 'Identify':
        return identify(deleted);
      case 'ListMetadataFormats':
        return formats;
      case 'ListSets':
        return envelope('<error code="noSetHierarchy">no sets</error>');
      default:
        return list(query);
    }
  });
}

/** What it does not list, it does not have. */
const listOrDeny = (query: URLSearchParams, identifiers: readonly string[]) =>
  query.get('verb') === 'GetRecord'
    ? envelope('<error code="idDoesNotExist">no such record</error>')
    : records(...identifiers);

const records = (...identifiers: string[]) =>
  envelope(`<ListRecords>${identifiers.map((identifier) => record(identifier)).join('')}</ListRecords>`);

describe('the command line', () => {
  test('from an address to a publication', async () => {
    const { url } = await repository(() => records('oai:a:1', 'oai:a:2'));
    expect(await run('init', `${url}?verb=Identify`, '--name', 'repo')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Found Scripted: OAI-PMH 2.0'),
    });
    expect(readFileSync(join(directory, 'rsbridge.yaml'), 'utf8')).toContain(JSON.stringify(url));
    expect(await run('check')).toMatchObject({ code: 0, stdout: expect.stringContaining('formats oai_dc') });
    expect(await run('status')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('not harvested yet'),
    });
    expect(await run('harvest', '--dry-run')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('2 created'),
    });
    expect(await run('harvest')).toMatchObject({ code: 0, stdout: expect.stringContaining('2 created') });
    expect(await run('publish')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('http://localhost:8080/repo/capabilitylist.xml'),
    });
    const { stdout } = await run('status', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ name: 'repo', resources: 2, healthy: true });
  });

  test('init refuses to overwrite, and says what it tried', async () => {
    const { url } = await repository(() => records('oai:a:1'));
    configure(url);
    expect(await run('init', url)).toMatchObject({ code: 2, stderr: expect.stringContaining('--force') });
    const { url: page } = await provide(() => ({ body: '<html><body>Welcome</body></html>' }));
    expect(await run('init', page, '--config', 'other.yaml', '--verbose')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('/server/oai/request'),
    });
    expect(await run('init', 'not an address')).toMatchObject({ code: 2 });
  });

  test('a wrong key, a missing file and an unknown source say what to do', async () => {
    expect(await run('harvest')).toMatchObject({ code: 2, stderr: expect.stringContaining('rsbridge init') });
    configure('http://127.0.0.1:1/oai', '    shedule: "* * * * *"\n');
    expect(await run('check')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean "schedule"'),
    });
    configure('http://127.0.0.1:1/oai');
    expect(await run('harvest', 'nobody')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('configured: repo'),
    });
    expect(await run('publish', 'nobody')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('repo/metadata'),
    });
    expect(await run('harvest', '--limit', 'many')).toMatchObject({ code: 2 });
    expect(await run('hravest')).toMatchObject({ code: 2, stderr: expect.stringContaining('harvest') });
    expect(await run('--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('harvest') });
  });
});

describe('what upstreams do', () => {
  test.each<[string, Answer, string]>([
    [
      'HTML with status 200',
      { headers: { 'content-type': 'text/html' }, body: '<!DOCTYPE html><html><body>Log in</body></html>' },
      'upstream-html',
    ],
    ['an error page', { status: 404, body: 'no such page' }, 'upstream-status'],
    ['an unknown format', envelope('<error code="cannotDisseminateFormat">no</error>'), ''],
    ['a page cut off in the middle', records('oai:a:1', 'oai:a:2').slice(0, -80), 'upstream-cut-off'],
  ])(
    '%s deletes nothing',
    async (_, answer, code) => {
      let broken = false;
      const lists = envelope('<error code="badVerb">Records alone are listed here.</error>');
      const { url } = await repository((query) => {
        if (!broken) return records('oai:a:1', 'oai:a:2', 'oai:a:3');
        return query.get('verb') === 'ListRecords' ? answer : lists;
      });
      configure(url);
      expect((await run('harvest')).code).toBe(0);
      broken = true;
      const outcome = await run('harvest', '--full');
      expect(outcome.code).not.toBe(0);
      expect(outcome.stderr + outcome.stdout).toContain(code);
      const { stdout } = await run('status', '--json');
      expect(JSON.parse(stdout)).toMatchObject({ resources: 3 });
    },
    60_000,
  );

  test('an OAI error counts, whatever the HTTP status (quirks 22 to 24)', async () => {
    for (const status of [404, 422, 500]) {
      const { url } = await repository(() => ({
        status,
        body: envelope('<error code="noRecordsMatch">none</error>'),
      }));
      configure(url);
      expect(await run('harvest')).toMatchObject({ code: 0, stdout: expect.stringContaining('0 records') });
      rmSync(join(directory, 'data'), { recursive: true });
    }
  });

  test('a token that repeats for ever stops, and keeps what came', async () => {
    const { url } = await repository((query) =>
      envelope(
        `<ListRecords>${record(`oai:a:${query.get('resumptionToken') ?? 'first'}`)}<resumptionToken>again</resumptionToken></ListRecords>`,
      ),
    );
    configure(url);
    expect(await run('harvest')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('oai-token-loop'),
    });
    expect(JSON.parse((await run('status', '--json')).stdout)).toMatchObject({ resources: 2 });
  });

  test('a damaged record and one without metadata are named; the others live', async () => {
    const { url } = await repository(() =>
      envelope(
        `<ListRecords>${record('oai:a:1')}${record('oai:a:2', '<dc:title>bell \u0007</dc:title>')}${record('oai:a:3').replace(/<metadata>.*<\/metadata>/s, '')}</ListRecords>`,
      ),
    );
    configure(url);
    expect(await run('harvest')).toMatchObject({ code: 0, stdout: expect.stringContaining('2 problems') });
    const { stdout } = await run('status');
    expect(stdout).toContain('oai:a:2');
    expect(stdout).toContain('oai:a:3');
    expect(stdout).toContain('2 items');
  });

  test('nobody answers, or nobody has that name', async () => {
    configure('http://127.0.0.1:1/oai');
    expect(await run('harvest')).toMatchObject({ code: 3, stderr: expect.stringContaining('ECONNREFUSED') });
    configure('http://no-such-host.invalid/oai');
    const outcome = await run('harvest', '--json');
    expect(outcome.code).toBe(3);
    expect(JSON.parse(outcome.stdout)).toMatchObject({
      source: 'repo',
      error: { code: 'upstream-unreachable' },
    });
  });

  test('the fuse asks for a person, by exit code and in words', async () => {
    let gone = false;
    const all = Array.from({ length: 41 }, (_, index) => `oai:a:${index}`);
    const { url } = await repository((query) => listOrDeny(query, gone ? all.slice(30) : all));
    configure(url);
    await run('harvest');
    gone = true;
    expect(await run('harvest', '--full')).toMatchObject({
      code: 4,
      stdout: expect.stringMatching(/NOT deleted: rsbridge vanished repo lists them.*--accept-deletions 2\n/),
    });
    expect(await run('status')).toMatchObject({
      code: 4,
      stdout: expect.stringMatching(/needs attention.*rsbridge vanished repo/),
    });
    expect(await run('check')).toMatchObject({
      code: 4,
      stdout: expect.stringContaining('rsbridge vanished repo'),
    });
    const listed = await run('vanished', 'repo');
    expect(listed).toMatchObject({
      code: 4,
      stdout: expect.stringMatching(
        /30 items \(30 resources\) not found by run 2, a full harvest[\s\S]*oai:a:0 \(oai_dc\) missing since 2[\s\S]*rsbridge harvest repo --accept-deletions 2; to keep all: rsbridge vanished repo --reject 2\n$/,
      ),
    });
    const rows = (await run('vanished', 'repo', '--json')).stdout.trim().split('\n');
    expect(rows).toHaveLength(30);
    expect(JSON.parse(rows[0] ?? '')).toMatchObject({
      source: 'repo',
      identifier: 'oai:a:0',
      formats: ['oai_dc'],
      runId: 2,
      pass: 'full',
    });
    expect(await run('harvest', 'repo', '--accept-deletions', '1')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('--accept-deletions 2'),
    });
    expect(await run('harvest', '--accept-deletions', 'repo')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/accepted what run 2 .*30 deleted/),
    });
    expect(await run('vanished', 'repo')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('no item is missing'),
    });
  });
});

describe('what status says', () => {
  test('an upstream that broke is not up to date, whatever the last run said', async () => {
    let broken = false;
    const { url } = await provide((query) => {
      if (broken) return { status: 404, body: 'gone' };
      if (query.get('verb') === 'Identify') return identify('no');
      return query.get('verb') === 'ListRecords' ? records('oai:a:1') : formats;
    });
    configure(url);
    await run('harvest');
    expect((await run('status')).code).toBe(0);
    broken = true;
    expect((await run('harvest')).code).toBe(3);
    expect(await run('status')).toMatchObject({
      code: 4,
      stdout: expect.stringContaining('could not be harvested'),
    });
    broken = false;
    await run('harvest');
    expect(await run('status')).toMatchObject({ code: 0, stdout: expect.stringContaining('up to date') });
  });

  test('refused deletions are not forgotten by the next good run', async () => {
    let gone = false;
    const all = Array.from({ length: 61 }, (_, index) => `oai:a:${index}`);
    const { url } = await repository((query) => listOrDeny(query, gone ? all.slice(50) : all));
    configure(url);
    await run('harvest');
    gone = true;
    expect((await run('harvest', '--full')).code).toBe(4);
    expect((await run('harvest')).code).toBe(0);
    expect(await run('status')).toMatchObject({
      code: 4,
      stdout: expect.stringContaining('needs attention since'),
    });
    expect((await run('harvest', '--accept-deletions')).code).toBe(0);
    expect((await run('status')).code).toBe(0);
  });

  test('check names a configured format that the repository does not list', async () => {
    const { url } = await repository(() => records('oai:a:1'));
    configure(url, '    formats: [oai_dc, nope]\n');
    expect(await run('check')).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/format nope; it offers oai_dc/),
    });
  });
});

describe('bad settings', () => {
  test('a schedule that is none is told before anything starts', async () => {
    configure('http://127.0.0.1:1/oai', '    schedule: "99 * * * *"\n');
    for (const command of ['check', 'serve', 'harvest']) {
      expect(await run(command)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('sources.repo.schedule'),
      });
    }
  });

  test('credentials in an address, or a line break in a header, are refused without being repeated', async () => {
    configure('http://user:secret@127.0.0.1/oai');
    const outcome = await run('check');
    expect(outcome.code).toBe(2);
    expect(outcome.stdout + outcome.stderr).not.toContain('secret');
    configure('http://127.0.0.1/oai', '    headers: { X-Key: "a\\nb" }\n');
    expect((await run('check')).code).toBe(2);
  });

  test('a file that is no database', async () => {
    configure('http://127.0.0.1:1/oai');
    await run('status');
    for (const file of ['rsbridge.db-wal', 'rsbridge.db-shm'])
      rmSync(join(directory, 'data', file), { force: true });
    writeFileSync(
      join(directory, 'data', 'rsbridge.db'),
      'this is not a database, whatever its name is'.repeat(100),
    );
    expect(await run('status')).toMatchObject({ code: 6, stderr: expect.stringContaining('damaged') });
  });
});

describe('two of a kind', () => {
  test('a port in use', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void taken.close());
    configure('http://127.0.0.1:1/oai');
    const { port } = taken.address() as AddressInfo;
    const outcome = await run('serve', '--port', String(port));
    expect(outcome).toMatchObject({ code: 5, stderr: expect.stringContaining('--port') });
    // What nobody sits before is a log: each line of it is JSON.
    const lines = outcome.stderr.trim().split('\n');
    const log = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(log.at(-1)).toMatchObject({
      level: 60,
      code: 'port-in-use',
      reason: expect.stringMatching(/port/),
    });
  });

  test('a database from a newer version', async () => {
    configure('http://127.0.0.1:1/oai');
    await run('status');
    const database = openDatabase({ client: 'sqlite', file: join(directory, 'data', 'rsbridge.db') });
    await database.writer('schema_migration').insert({ name: '9999-later', run_at: '' });
    await database.close();
    expect(await run('harvest')).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('database-newer'),
    });
  });

  test('two processes harvest one source: one does, the other says who', async () => {
    let answer: (() => void) | undefined;
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let release: (() => void) | undefined;
    const { url } = await repository(() => (response) => {
      answer?.();
      release = () => response.end(records('oai:a:1'));
    });
    configure(url);
    const { finished } = rsbridge(['harvest'], directory);
    await asked;
    expect(await run('harvest')).toMatchObject({ code: 5, stderr: expect.stringContaining('lease-held') });
    release?.();
    expect(await finished).toMatchObject({ code: 0 });
  });

  test('Ctrl-C finishes the page; the next run continues', async () => {
    const { url, requests } = await repository((query) => {
      const page = Number(query.get('resumptionToken') ?? 0);
      const token = page < 400 ? `<resumptionToken>${page + 1}</resumptionToken>` : '';
      return envelope(`<ListRecords>${record(`oai:a:${page}`)}${token}</ListRecords>`);
    });
    configure(url);
    const { child, finished } = rsbridge(['harvest'], directory);
    while (requests.length < 20) await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill('SIGINT');
    expect(await finished).toMatchObject({
      code: 130,
      stdout: expect.stringContaining('stopped before the end'),
    });
    expect(await run('harvest')).toMatchObject({ code: 0, stdout: expect.stringContaining('401 created') });
  });
});

describe('records that could not be read', () => {
  test('are listed with the record as it came until they are read well', async () => {
    let mended = false;
    const bad = record('oai:a:2').replace('</oai_dc:dc>', '<dc:title>\u001b[31mRed</dc:creator></oai_dc:dc>');
    const { url } = await repository((query) => {
      if (query.get('verb') !== 'GetRecord')
        return envelope(`<ListRecords>${record('oai:a:1')}${mended ? record('oai:a:2') : bad}</ListRecords>`);
      const identifier = query.get('identifier') ?? '';
      if (!['oai:a:1', 'oai:a:2'].includes(identifier))
        return envelope('<error code="idDoesNotExist">no such record</error>');
      return envelope(`<GetRecord>${mended ? record(identifier) : bad}</GetRecord>`);
    });
    configure(url);
    await run('harvest');
    await run('harvest');
    expect(await run('status')).toMatchObject({
      code: 4,
      stdout: expect.stringContaining(
        '1 record needs attention: it could not be read (rsbridge problems repo)',
      ),
    });
    expect((await run('check')).stdout).toContain('rsbridge problems repo');
    expect(await run('problems')).toMatchObject({
      code: 4,
      stdout: expect.stringMatching(/repo: 1 record could not be read\n {2}oai:a:2 \(oai_dc\): .*--raw/s),
    });
    const raw = await run('problems', 'repo', '--item', 'oai:a:2');
    expect(raw.stdout).toContain('\\u001b[31mRed</dc:creator>');
    expect(raw.stdout).not.toContain('\u001b');
    const [line = ''] = (await run('problems', 'repo', '--raw', '--json')).stdout.split('\n');
    expect(JSON.parse(line)).toMatchObject({
      source: 'repo',
      identifier: 'oai:a:2',
      format: 'oai_dc',
      runId: 2,
      rawCut: false,
      raw: expect.stringContaining('\u001b[31mRed'),
    });
    expect(await run('harvest', 'repo', '--item', 'oai:a:2')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('cannot be read'),
    });
    expect(await run('harvest', 'repo', '--item', 'oai:a:3')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('does not have oai:a:3'),
    });
    mended = true;
    expect(await run('harvest', 'repo', '--item', 'oai:a:2')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('oai:a:2 was read: 1 created'),
    });
    expect(await run('problems', 'repo')).toMatchObject({ code: 0 });
    expect((await run('status')).code).toBe(0);
  });
});
