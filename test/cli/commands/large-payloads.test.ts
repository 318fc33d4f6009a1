import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { exitCodes } from '../../../src/cli/terminal/exit-codes.ts';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { envelope, provide, record } from '../../house/adapters/scripted-provider.ts';
import { runMain } from '../../house/cli/run-main.ts';
import { type FaultProxy, startFaultProxy } from '../../house/objects/fault-proxy.ts';
import {
  accessKeyId,
  type ObjectServer,
  secretAccessKey,
  startVersitygw,
  versitygw,
} from '../../house/objects/versitygw.ts';
import { migratedPostgres, migratedSqlite } from '../../house/store/databases.ts';

const formats = envelope(
  '<ListMetadataFormats><metadataFormat><metadataPrefix>oai_dc</metadataPrefix><schema>http://www.openarchives.org/OAI/2.0/oai_dc.xsd</schema><metadataNamespace>http://www.openarchives.org/OAI/2.0/oai_dc/</metadataNamespace></metadataFormat></ListMetadataFormats>',
);
const identify = envelope(
  '<Identify><repositoryName>Scripted</repositoryName><baseURL>http://repo.example.org/oai</baseURL><protocolVersion>2.0</protocolVersion><adminEmail>a@example.org</adminEmail><earliestDatestamp>2020-01-01</earliestDatestamp><deletedRecord>no</deletedRecord><granularity>YYYY-MM-DD</granularity></Identify>',
);
/** About 8 kB, and alike. */
const subjects = Array.from(
  { length: 100 },
  (_, index) => `<dc:subject>${createHash('sha256').update(`${index}`).digest('hex')}</dc:subject>`,
).join('');

describe.skipIf(!versitygw).each(['sqlite', 'pg'] as const)(
  'commands with large payloads in S3, on %s',
  (kind) => {
    let server: ObjectServer;
    let proxy: FaultProxy;
    let directory: string;
    let made: Awaited<ReturnType<typeof migratedPostgres>>;
    let database: Database;
    let url: string;
    let title: string;
    beforeAll(async () => {
      server = await startVersitygw();
      proxy = await startFaultProxy(server.endpoint);
    });
    afterAll(async () => {
      await proxy?.close();
      await server?.close();
    });
    beforeEach(async () => {
      directory = mkdtempSync(join(tmpdir(), 'rsbridge-large-'));
      title = 'first';
      ({ url } = await provide((query) => {
        if (query.get('verb') === 'Identify') return identify;
        if (query.get('verb') === 'ListMetadataFormats') return formats;
        if (query.get('verb') === 'ListSets') return envelope('<error code="noSetHierarchy">no sets</error>');
        const large = ['one', 'two'].map((name) =>
          record(name, `<dc:title>${title} ${name}</dc:title>${subjects}`),
        );
        return envelope(
          `<ListRecords>${large.join('')}${record('three', `<dc:title>${title}</dc:title>`)}</ListRecords>`,
        );
      }));
      made = kind === 'sqlite' ? migratedSqlite() : await migratedPostgres();
      configure({ payloads: 's3' });
      database = openDatabase(made.config);
    });
    afterEach(async () => {
      proxy.fault = () => undefined;
      await database.close();
      await made.drop();
      rmSync(directory, { recursive: true, force: true });
      rmSync(join(server.directory, 'blobs'), { recursive: true, force: true });
    });

    function configure(storage: object): void {
      const s3 = { endpoint: proxy.endpoint, bucket: server.bucket };
      writeFileSync(
        join(directory, 'rsbridge.yaml'),
        JSON.stringify({
          database: made.config,
          directory: 'data',
          baseUrl: 'https://bridge.example.org',
          storage: { s3, payloadKilobytes: 2, ...storage },
          sources: { repo: { url } },
        }),
      );
    }
    const env = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
    const run = (...args: string[]) => runMain(directory, args, env);
    const codings = async () =>
      (await database.reader('blob').orderBy('length').select('coding')).map(({ coding }) => coding);
    const files = (root: string): string[] =>
      existsSync(root)
        ? readdirSync(root, { recursive: true, withFileTypes: true })
            .filter((entry) => entry.isFile())
            .map((entry) => join(entry.parentPath, entry.name))
            .sort()
        : [];
    const broken = () => ({ kind: 'answer', status: 404, code: 'NoSuchBucket' }) as const;

    test('a harvest that cannot store them fails, has stored nothing, and goes on the next time', async () => {
      proxy.fault = broken;
      const failed = await run('harvest', 'repo');
      expect([failed.code, failed.stderr]).toEqual([
        exitCodes.storage,
        expect.stringContaining('there is no bucket'),
      ]);
      expect(failed.stderr).not.toContain(secretAccessKey);
      expect(await codings()).toEqual([]);
      const seq = { journal_seq: 0 };
      expect(await database.reader('source').first('journal_seq')).toEqual(seq);
      proxy.fault = () => undefined;
      expect((await run('harvest', 'repo')).code).toBe(0);
      expect((await codings()).slice(1)).toEqual(['object', 'object']);
      expect(await database.reader('source').first('journal_seq')).toEqual({ journal_seq: 3 });
    });

    test('a dry run sends nothing there', async () => {
      const before = proxy.asked.length;
      expect((await run('harvest', 'repo', '--dry-run')).code).toBe(0);
      expect(proxy.asked.length).toBe(before);
    });

    test('an export and a publication end with an error, write nothing by halves, and are done the next time', async () => {
      expect((await run('harvest', 'repo')).code).toBe(0);
      expect((await run('publish')).code).toBe(0);
      const before = files(join(directory, 'data', 'publication'));
      title = 'second';
      expect((await run('harvest', 'repo', '--full')).code).toBe(0);
      const site = join(directory, 'site');
      proxy.fault = ({ method }) => (method === 'GET' ? broken() : undefined);
      const exported = await run('export', site);
      expect([exported.code, exported.stderr]).toEqual([
        exitCodes.storage,
        expect.stringContaining('no bucket'),
      ]);
      expect(
        files(site).filter((name) => /items|\.tmp/.test(name) && readFileSync(name).length === 0),
      ).toEqual([]);
      expect(files(site).filter((name) => name.endsWith('capabilitylist.xml'))).toEqual([]);
      proxy.fault = () => undefined;
      expect((await run('publish')).code).toBe(0);
      const done = await run('export', site);
      expect(done.code, done.stderr).toBe(0);
      const one = files(site).find((name) => name.endsWith('items/one/oai_dc.xml')) ?? '';
      expect(readFileSync(one, 'utf8')).toContain('second one');
      expect(before.length).toBeGreaterThan(5);
    });

    test('move them, and compare what is there', async () => {
      configure({});
      expect((await run('harvest', 'repo')).code).toBe(0);
      expect(await codings()).not.toContain('object');
      configure({ payloads: 's3' });
      const left = await run('check', '--blobs');
      expect(left.stdout).toContain(
        '2 of them would be in the object storage by now: rsbridge storage migrate',
      );
      const there = await run('storage', 'migrate', '--json');
      expect([there.code, JSON.parse(there.stdout).payloads]).toEqual([
        0,
        { to: 's3', payloads: 2, bytes: expect.any(Number), damaged: [] },
      ]);
      expect((await codings()).slice(1)).toEqual(['object', 'object']);
      expect((await run('check', '--blobs')).stdout).toMatch(
        /3 payloads of .* and 2 in the object storage, .* all match their hashes/,
      );
      const [object = ''] = files(join(server.directory, 'blobs'));
      writeFileSync(object, Buffer.alloc(readFileSync(object).length));
      const damaged = await run('check', '--blobs');
      expect([damaged.code, damaged.stdout]).toEqual([
        exitCodes.storage,
        expect.stringMatching(/FAIL {2}payload sha-256:\w+: .*To read again .*rsbridge harvest repo --full/),
      ]);
      expect((await run('harvest', 'repo', '--full')).code).toBe(0);
      expect((await run('check', '--blobs')).code).toBe(0);
      proxy.fault = broken;
      const unknown = await run('check', '--blobs');
      expect(unknown.code).toBe(exitCodes.storage);
      expect(unknown.stdout).not.toContain('damaged');
      proxy.fault = () => undefined;
      configure({});
      const back = await run('storage', 'migrate');
      expect([back.code, back.stdout]).toEqual([0, expect.stringContaining('2 payloads (')]);
      expect(back.stdout).toContain('moved to the database');
      expect(await codings()).not.toContain('object');
    });
  },
);
