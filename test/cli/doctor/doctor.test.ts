import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, isIPv4 } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import type { Diagnosis } from '../../../src/cli/doctor/diagnosis.ts';
import { oaiEndpoint, repositoryHost } from '../../house/cli/repository-host.ts';
import { runBeside } from '../../house/cli/run-beside.ts';
import { openStrangeProxy, type Strangeness, type StrangeProxy } from '../../house/cli/strange-proxy.ts';
import { selfSigned } from '../../house/hostile/self-signed.ts';
import { binary } from '../../house/process/script.ts';
import { type SampleService, startSampleService } from '../../house/server/sample-service.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

interface Outcome {
  readonly code: number | null;
  /** What is not ok, by what was looked at. */
  readonly wrong: Readonly<Record<string, Diagnosis>>;
  readonly all: readonly Diagnosis[];
}

/** `rsbridge doctor --json` with these settings. */
async function doctor(directory: string, settings: object): Promise<Outcome> {
  writeFileSync(join(directory, 'doctor.yaml'), stringify(settings));
  // Two that write to one SQLite file in one process would wait for each other for ever.
  const { code, stdout, stderr } = await runBeside(directory, ['doctor', '--json', '-c', 'doctor.yaml']);
  expect(stderr).toBe('');
  const all = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Diagnosis);
  for (const { severity, mend, check } of all)
    expect([check, mend === undefined]).toEqual([check, severity === 'ok']);
  const wrong = all.filter(({ severity }) => severity !== 'ok').map((one) => [one.check, one] as const);
  return { code, all, wrong: Object.fromEntries(wrong) };
}

describe('rsbridge doctor beside a service', () => {
  let service: SampleService;
  let proxy: StrangeProxy;
  beforeAll(async () => {
    service = await startSampleService('', { files: { mode: 'none' } });
    proxy = await openStrangeProxy(service.base);
  });
  afterEach(() => {
    proxy.strange = {};
  });
  afterAll(async () => {
    await proxy?.close();
    await service?.close();
  });

  const seenAt = (baseUrl: string, more: object = {}) => {
    const { database, directory, sources } = service.bridge.config;
    return doctor(service.directory, {
      ...{ baseUrl, database, directory },
      sources: { sample: { url: sources.sample?.url } },
      ...more,
    });
  };
  const seen = (strange: Strangeness) => {
    proxy.strange = strange;
    return seenAt(`http://127.0.0.1:${proxy.port}`);
  };

  test('finds nothing wrong outside where a proxy passes everything on', async () => {
    const { all, wrong, code } = await seen({});
    const outside = ['public address', 'discovery', 'what is not there', 'validators', 'ranges', 'HEAD'];
    expect(all.filter(({ check }) => outside.includes(check)).map(({ severity }) => severity)).toEqual(
      outside.map(() => 'ok'),
    );
    expect(all.find(({ check }) => check === 'source sample')?.severity).toBe('ok');
    expect(all.find(({ check }) => check === 'clock')?.severity).toBe('ok');
    // That it is this machine alone, and that there is no backup.
    expect(wrong).toMatchObject({ DNS: { severity: 'note' }, backup: { severity: 'warning' } });
    expect(code).toBe(4);
  });

  const swallowed: Strangeness = {
    answers: ({ status }) =>
      status === 404 ? { headers: { 'content-type': 'text/html' }, body: '<h1>Sorry</h1>' } : {},
  };
  const faults: readonly [string, string, Strangeness][] = [
    ['what is not there', 'a 404 that is made anew', swallowed],
    [
      'what is not there',
      'a slash in a name that is refused',
      { answers: ({ path }) => (path.includes('%2F') ? { status: 404, headers: {}, body: 'no' } : {}) },
    ],
    ['validators', 'no ETag', { answers: ({ headers }) => ({ headers: { ...headers, etag: undefined } }) }],
    [
      'validators',
      'a weak ETag',
      { answers: ({ headers }) => ({ headers: { ...headers, etag: headers.etag && `W/${headers.etag}` } }) },
    ],
    [
      'validators',
      'If-None-Match that is dropped',
      { asks: ({ headers }) => ({ headers: { ...headers, 'if-none-match': undefined } }) },
    ],
    [
      'ranges',
      'Range that is dropped',
      { asks: ({ headers }) => ({ headers: { ...headers, range: undefined } }) },
    ],
    [
      'discovery',
      '/.well-known/ that is answered by somebody else',
      {
        answers: ({ path }) =>
          path.startsWith('/.well-known/') ? { status: 404, headers: {}, body: 'nginx' } : {},
      },
    ],
    ['public address', 'another site', { answers: () => ({ status: 200, headers: {}, body: 'It works!' }) }],
    [
      'public address',
      'a redirect',
      { answers: () => ({ status: 301, headers: { location: 'https://repo.example.org/livez' }, body: '' }) },
    ],
  ];

  test.each(faults)('%s: %s', async (check, _what, strange) => {
    const { wrong, code } = await seen(strange);
    expect(wrong).toHaveProperty([check]);
    expect(code).toBe(4);
  });

  test('a redirect of the address at the host to ours is as good as ours', async () => {
    const leading = (location: string): Strangeness => ({
      answers: ({ path }) =>
        path === '/.well-known/resourcesync' ? { status: 302, headers: { location }, body: '' } : {},
    });
    const { wrong } = await seen(leading('/sample/.well-known/resourcesync'));
    expect(wrong).not.toHaveProperty('discovery');
    const elsewhere = 'https://other.example.org/.well-known/resourcesync';
    expect((await seen(leading(elsewhere))).wrong.discovery?.message).toContain(`leads to ${elsewhere}`);
    const circle = await seen(leading('/.well-known/resourcesync'));
    expect(circle.wrong.discovery?.message).toContain('is answered with 302');
  });

  test('another bridge at the public address', async () => {
    const url = service.bridge.config.sources.sample?.url;
    const baseUrl = `http://127.0.0.1:${proxy.port}`;
    const theirs = await fetch(`${service.base}/.well-known/resourcesync`, {
      headers: { accept: 'application/xml' },
    });
    const body = (await theirs.text()).replaceAll(`${service.base}/`, `${baseUrl}/`);
    proxy.strange = {
      answers: ({ path }) => (path === '/.well-known/resourcesync' ? { headers: {}, body } : {}),
    };
    expect((await seenAt(baseUrl)).wrong).not.toHaveProperty('discovery');
    const { wrong } = await seenAt(baseUrl, { sources: { moved: { url, schedule: false } } });
    expect(wrong.discovery).toMatchObject({
      message: expect.stringContaining('another rsbridge, which publishes sample'),
      mend: expect.stringContaining('rsbridge serve'),
    });
  });

  test('HEAD: headers that are missing', async () => {
    const isHead = { is: false };
    const { wrong } = await seen({
      asks: ({ method }) => {
        isHead.is = method === 'HEAD';
        return {};
      },
      answers: ({ headers }) => (isHead.is ? { headers: { ...headers, etag: undefined } } : {}),
    });
    expect(wrong.HEAD?.message).toContain('without etag');
  });

  test('a redirect says what baseUrl should be', async () => {
    const { wrong } = await seen({
      answers: () => ({ status: 301, headers: { location: 'https://repo.example.org/rs/livez' }, body: '' }),
    });
    expect(wrong['public address']?.mend).toBe('baseUrl: https://repo.example.org/rs');
  });

  test('a name that nobody knows, and an address where nobody answers', async () => {
    expect((await seenAt('http://nowhere.invalid')).wrong).toMatchObject({ DNS: { severity: 'error' } });
    const gone = createServer();
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
    const { port } = gone.address() as AddressInfo;
    await new Promise((resolve) => gone.close(resolve));
    const { wrong } = await seenAt(`http://127.0.0.1:${port}`);
    expect(wrong['public address']).toMatchObject({
      severity: 'error',
      mend: expect.stringContaining('rsbridge healthcheck'),
    });
  });

  test('a certificate that nobody believes, and one that ends soon', async () => {
    const own = await openStrangeProxy(service.base, selfSigned);
    const { wrong } = await seenAt(`https://127.0.0.1:${own.port}`);
    await own.close();
    expect(wrong.TLS?.message).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
    const { key, cert } = certificate(service.directory, 5);
    const ending = await openStrangeProxy(service.base, { key, cert });
    const soon = await seenAt(`https://127.0.0.1:${ending.port}`);
    await ending.close();
    const told = soon.all.filter(({ check }) => check === 'TLS');
    expect(told.map(({ severity }) => severity)).toEqual(['warning', 'error']);
    expect(told[0]?.message).toMatch(/ends on \d{4}-\d\d-\d\d, in [45] days/);
    const plain = await seenAt(`https://127.0.0.1:${proxy.port}`);
    expect(plain.wrong.TLS?.message).toContain('does not speak TLS');
  });

  test('a proxy that names no client opens the dashboard to all', async () => {
    const [address] = Object.values(networkInterfaces())
      .flatMap((all) => all ?? [])
      .filter(({ internal, address }) => !internal && isIPv4(address));
    if (!address) {
      process.stderr.write('SKIPPED: this machine has no address beside loopback\n');
      return;
    }
    const outside = await openStrangeProxy(service.base, undefined, '0.0.0.0');
    try {
      const baseUrl = `http://${address.address}:${outside.port}`;
      expect((await seenAt(baseUrl)).wrong).not.toHaveProperty('X-Forwarded-For');
      outside.strange = {
        asks: ({ headers }) => ({ headers: { ...headers, 'x-forwarded-for': undefined } }),
      };
      expect((await seenAt(baseUrl)).wrong['X-Forwarded-For']).toMatchObject({ severity: 'error' });
    } finally {
      await outside.close();
    }
  });

  test('more processes than cores, a backup, and one that is old', async () => {
    const base = `http://127.0.0.1:${proxy.port}`;
    const { wrong } = await seenAt(base, { listen: { processes: 64 } });
    expect(wrong.cores?.mend).toMatch(/^listen: \{ processes: \d+ \}$/);
    const stamp = join(service.directory, 'backup-stamp');
    writeFileSync(stamp, '');
    expect((await seenAt(base, { alerts: { backupStamp: stamp } })).wrong).not.toHaveProperty('backup');
    const old = Date.now() / 1000 - 20 * 86_400;
    utimesSync(stamp, old, old);
    const { message = '' } = (await seenAt(base, { alerts: { backupStamp: stamp } })).wrong.backup ?? {};
    expect(message).toContain('20 days ago');
  });

  test('few files that may be open, seen by a process of its own; for people each finding has its command', async () => {
    const { database, directory, sources } = service.bridge.config;
    const file = join(service.directory, 'few.yaml');
    const baseUrl = `http://127.0.0.1:${proxy.port}`;
    const url = sources.sample?.url;
    writeFileSync(
      file,
      stringify({ baseUrl, database, directory, sources: { sample: { url, schedule: false } } }),
    );
    const command = `ulimit -n 512; exec '${process.execPath}' '${binary()}' doctor -c '${file}'`;
    const told = await new Promise<string>((resolve) => {
      execFile('sh', ['-c', command], (_error, stdout) => resolve(stdout));
    });
    expect(told).toMatch(/^WARN {2}open files: .* 512 .*\n {6}mend: ulimit -n 65536/m);
  });
});

/** Signed by itself, good for so many days. */
function certificate(directory: string, days: number): { key: string; cert: string } {
  const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  execFileSync(
    'openssl',
    [
      ...[
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:P-256',
        '-nodes',
        '-subj',
        '/CN=test',
      ],
      ...['-days', String(days), '-keyout', key, '-out', cert],
    ],
    { stdio: 'ignore' },
  );
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
}

describeOnBoth('rsbridge doctor', (open) => {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-doctor-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test('tells of versions, of a repository that does not answer, and of a clock that is wrong', async () => {
    const host = await repositoryHost({
      '/oai': (query) => {
        const reply = oaiEndpoint(query);
        return {
          ...(typeof reply === 'string' ? { type: 'text/xml', body: reply } : reply),
          headers: { date: new Date(Date.now() + 3_600_000).toUTCString() },
        };
      },
    });
    const { all, wrong, code } = await doctor(directory, {
      ...{ database: open().config, directory: join(directory, 'data'), baseUrl: 'http://127.0.0.1:1' },
      sources: { late: { url: `${host.origin}/oai` }, gone: { url: 'http://127.0.0.1:1/oai' } },
    });
    const checks = all.map(({ check }) => check);
    expect(checks).toEqual(expect.arrayContaining(['Node.js', 'rsbridge', 'clock of the database']));
    expect(checks.filter((check) => check === 'SQLite' || check === 'PostgreSQL').length).toBe(1);
    expect(wrong['source gone']).toMatchObject({ severity: 'error', exitCode: 3 });
    expect(wrong.clock?.message).toMatch(/this clock is 3(?:599|600|601) s behind that of 127\.0\.0\.1/);
    expect(checks.some((check) => check.startsWith('disk speed of directory'))).toBe(true);
    expect(code).toBe(3);
  });
});
