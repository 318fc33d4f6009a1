import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { exitCodes } from '../../../src/cli/terminal/exit-codes.ts';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { contentFile } from '../../../src/store/payloads/content-files.ts';
import { envelope, provide, record } from '../../house/adapters/scripted-provider.ts';
import { runMain } from '../../house/cli/run-main.ts';
import { migratedPostgres, migratedSqlite } from '../../house/store/databases.ts';
import { keepContent } from '../../house/store/kept-content.ts';

const formats = envelope(
  '<ListMetadataFormats><metadataFormat><metadataPrefix>oai_dc</metadataPrefix><schema>http://www.openarchives.org/OAI/2.0/oai_dc.xsd</schema><metadataNamespace>http://www.openarchives.org/OAI/2.0/oai_dc/</metadataNamespace></metadataFormat></ListMetadataFormats>',
);
const identify = envelope(
  '<Identify><repositoryName>Scripted</repositoryName><baseURL>http://repo.example.org/oai</baseURL><protocolVersion>2.0</protocolVersion><adminEmail>a@example.org</adminEmail><earliestDatestamp>2020-01-01</earliestDatestamp><deletedRecord>no</deletedRecord><granularity>YYYY-MM-DD</granularity></Identify>',
);
const subjects = Array.from(
  { length: 40 },
  (_, index) => `<dc:subject>${createHash('sha256').update(`${index}`).digest('hex')}</dc:subject>`,
).join('');

interface Line {
  readonly check: string;
  readonly ok: boolean;
  readonly message: string;
}

describe.each(['sqlite', 'pg'] as const)('rsbridge check --blobs on %s', (kind) => {
  let directory: string;
  let made: Awaited<ReturnType<typeof migratedPostgres>>;
  let database: Database;
  let title: string;
  let isDown: boolean;

  const run = (...args: string[]) => runMain(directory, args);
  async function check() {
    const { code, stdout, stderr } = await run('check', '--blobs', '--json');
    expect(stderr).toBe('');
    const lines = stdout
      .trim()
      .split('\n')
      .map((line): Line => JSON.parse(line));
    const payloads = lines.filter(({ check }) => check.startsWith('payload '));
    return {
      code,
      payloads,
      last: lines.at(-1),
      find: (name: string) => lines.find(({ check }) => check === name),
    };
  }
  async function harvest(...args: string[]): Promise<void> {
    const { code, stderr } = await run('harvest', ...args);
    expect(code, stderr).toBe(0);
  }
  interface Version {
    readonly hash: string;
    readonly lastmod: string;
    readonly path: string;
  }
  const versions = async (): Promise<readonly Version[]> =>
    database
      .reader('version')
      .join('resource', 'resource.id', 'version.resource_id')
      .where('resource.path', 'like', '%one%')
      .orderBy('version.seq')
      .select('version.hash', 'version.lastmod', 'resource.path');
  const blob = (hash: string) => database.writer('blob').where({ hash });

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'rsbridge-check-'));
    isDown = false;
    const { url } = await provide((query) => {
      if (isDown) return { status: 404, body: 'gone' };
      if (query.get('verb') === 'Identify') return identify;
      if (query.get('verb') === 'ListMetadataFormats') return formats;
      if (query.get('verb') === 'ListSets') return envelope('<error code="noSetHierarchy">no sets</error>');
      const records = ['one', 'two'].map((name) => record(name, `<dc:title>${title}</dc:title>${subjects}`));
      return envelope(`<ListRecords>${records.join('')}</ListRecords>`);
    });
    made = kind === 'sqlite' ? migratedSqlite() : await migratedPostgres();
    const config = { database: made.config, directory: 'data', sources: { repo: { url } } };
    writeFileSync(join(directory, 'rsbridge.yaml'), stringify(config));
    for (title of ['first', 'second', 'third']) await harvest('--full');
    database = openDatabase(made.config);
  });

  afterEach(async () => {
    await database.close();
    await made.drop();
    rmSync(directory, { recursive: true, force: true });
  });

  test('says how much there is where nothing is damaged, and a check without it says nothing of that', async () => {
    const { code, payloads, last } = await check();
    expect({ code, payloads }).toEqual({ code: 0, payloads: [] });
    expect(last).toMatchObject({ check: 'payloads', ok: true });
    // The records of both items have the same bytes.
    expect(last?.message).toMatch(
      /^3 payloads of \d+ bytes, 2 of them as deltas and 0 as files, \d+ bytes in the database; all match their hashes/,
    );
    expect((await run('check')).stdout).not.toContain('payloads');
  });

  test('names whose payload is damaged, since when, and what to do', async () => {
    const [first, second, third] = await versions();
    if (!first || !second || !third) throw new Error('there are three versions');
    const rows = await database.reader('blob').select('*');
    const restore = async () => {
      await database.writer('blob').delete();
      await database.writer('blob').insert(rows);
    };

    await blob(second.hash).update({ data: Buffer.from('rubbish') });
    const old = await check();
    expect(old.code).toBe(exitCodes.storage);
    expect(old.payloads.map(({ check }) => check)).toEqual([`payload ${second.hash}`]);
    expect(old.payloads[0]?.message).toContain(`${second.path} had this content since ${second.lastmod}`);
    expect(old.payloads[0]?.message).toContain('repo/items/two/oai_dc.xml had this content since');
    expect(old.payloads[0]?.message).toContain('That version is lost, unless there is a backup');
    expect(old.last).toMatchObject({ check: 'payloads', ok: false });
    expect(old.last?.message).toMatch(/^1 damaged or missing; 3 payloads/);
    const said = await run('check', '--blobs');
    expect(said.stdout).toContain(`FAIL  payload ${second.hash}: `);
    await restore();

    // What the current one is a difference from.
    await blob(first.hash).update({ data: Buffer.from('rubbish') });
    const base = await check();
    expect(new Set(base.payloads.map(({ check }) => check))).toEqual(
      new Set([first, second, third].map(({ hash }) => `payload ${hash}`)),
    );
    const current = base.find(`payload ${third.hash}`)?.message;
    expect(current).toContain(`is a difference from ${first.hash}, which is damaged`);
    expect(current).toContain(`${third.path} has this content since ${third.lastmod}`);
    expect(current).toContain('rsbridge harvest repo --full');
    await harvest('--full');
    const mended = await check();
    expect(mended.find(`payload ${third.hash}`)).toBeUndefined();
    expect(mended.payloads).toHaveLength(2);
    await restore();

    // Gone without a trace.
    await blob(second.hash).delete();
    const missing = await check();
    expect(missing.payloads.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^it is missing\. repo\/items\/one\/oai_dc\.xml had this content since .* lost/),
      expect.stringMatching(/^it is missing\. repo\/items\/two\/oai_dc\.xml had this content since .* lost/),
    ]);
    // What was given up is not missed.
    await database.writer('version').where({ hash: second.hash }).update({ dropped_at: third.lastmod });
    expect((await check()).code).toBe(0);
    await database.writer('version').where({ hash: second.hash }).update({ dropped_at: null });
    await restore();
    expect((await check()).code).toBe(0);
  });

  test('reads contents that are files, and finds those of which nothing is known, and prior versions', async () => {
    const bytes = Buffer.alloc(3_000_000, 'a file ');
    const data = join(directory, 'data');
    const { hash } = await keepContent(database, data, bytes);
    expect((await check()).last?.message).toMatch(/^4 payloads of .* and 1 as files/);
    const file = contentFile(data, hash);
    writeFileSync(file, Buffer.alloc(3_000_000, 'other'));
    const damaged = await check();
    expect(damaged.payloads).toHaveLength(1);
    expect(damaged.payloads[0]?.message).toContain('No version has this content any more');
    expect(damaged.payloads[0]?.message).toContain(`put it back as ${file}`);
    // It was set aside.
    expect((await check()).payloads[0]?.message).toContain('is missing');

    const item: { id: number; source_id: number } | undefined = await database
      .reader('item')
      .first('id', 'source_id');
    const number = { source_id: item?.source_id ?? 0, item_id: item?.id ?? 0, number: 1 };
    await database.writer('prior_version').insert({ ...number, at: '2011-01-01T00:00:00Z' });
    const part = { kind: 'metadata', format: 'dim', sequence: 0, hash: 'sha-256:none' };
    await database.writer('prior_representation').insert({ ...number, ...part });
    const prior = (await check()).find('payload sha-256:none');
    expect(prior?.message).toContain(
      '(dim) had this content, in its history upstream, since 2011-01-01T00:00:00Z',
    );
  });

  test('works when the repository cannot be reached', async () => {
    isDown = true;
    const [, second] = await versions();
    await blob(second?.hash ?? '').update({ length: 5 });
    const { code, find, payloads } = await check();
    expect(find('source repo')).toMatchObject({ ok: false });
    expect(payloads).toHaveLength(1);
    expect(code).toBe(exitCodes.storage);
  });
});
