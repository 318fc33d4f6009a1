import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { exitCodes } from '../../../src/cli/terminal/exit-codes.ts';
import { createSampleRepository } from '../../../src/demo/sample-repository.ts';
import { runMain } from '../../house/cli/run-main.ts';
import { migratedPostgres, migratedSqlite } from '../../house/store/databases.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

describe.each(['sqlite', 'pg'] as const)('rsbridge sources on %s', (kind) => {
  const repositories = [3, 4].map((records) => createSampleRepository({ clock: systemClock, records }));
  let directory: string;
  let made: Awaited<ReturnType<typeof migratedPostgres>>;
  let urls: readonly string[];

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'rsbridge-sources-'));
    made = kind === 'sqlite' ? migratedSqlite() : await migratedPostgres();
    urls = await Promise.all(repositories.map(async (one) => (await one.listen(0)).url));
    configure({ infile: { url: urls[0] } });
  });
  afterAll(async () => {
    await Promise.all(repositories.map((one) => one.close()));
    await made.drop();
    rmSync(directory, { recursive: true, force: true });
  });

  const configure = (sources: object) =>
    writeFileSync(
      join(directory, 'rsbridge.yaml'),
      stringify({
        database: made.config,
        directory: join(directory, 'data'),
        groups: { quiet: { schedule: false, files: { mode: 'none' } } },
        sources,
      }),
    );
  const sources = (...args: string[]) => runMain(directory, ['sources', ...args]);
  const listed = async () =>
    (await sources('list', '--json')).stdout
      .split('\n')
      .filter((line) => line !== '')
      .map(
        (line) =>
          JSON.parse(line) as { name: string; from: string; paused: boolean; group?: string; url: string },
      );
  const told = async (...args: string[]) => {
    const { code, stderr } = await sources(...args);
    expect(code, stderr).toBe(exitCodes.usage);
    return stderr;
  };

  test('what is added is found out, kept, and harvested as any other', async () => {
    const dry = await sources(
      'add',
      urls[1] ?? '',
      '--name',
      'added',
      '--group',
      'quiet',
      '--dry-run',
      '--json',
    );
    expect(JSON.parse(dry.stdout)).toMatchObject({ dryRun: true, name: 'added' });
    expect(await listed()).toHaveLength(1);
    const { code, stdout, stderr } = await sources(
      'add',
      urls[1] ?? '',
      '--name',
      'added',
      '--group',
      'quiet',
    );
    expect(code, stderr).toBe(exitCodes.ok);
    expect(stdout).toMatch(/^added: .+ at http[\s\S]+rsbridge serve begins to read it within 10 seconds/);
    expect(await listed()).toMatchObject([
      { name: 'infile', from: 'file', paused: false, url: urls[0] },
      { name: 'added', from: 'database', paused: false, group: 'quiet', url: urls[1] },
    ]);
    const harvested = await runMain(directory, ['harvest', 'added']);
    expect(harvested.code, harvested.stderr).toBe(exitCodes.ok);
    expect(harvested.stdout).toContain('added: full harvest of');
  });

  test('the same address, a name that is taken and what is no setting are refused', async () => {
    expect(await told('add', urls[1] ?? '')).toContain('is read already, as the source added');
    expect(await told('add', 'http://127.0.0.1:1/', '--name', 'infile')).toContain(
      'there is a source called infile already; choose another name',
    );
    expect(await told('edit', 'added', '--set', 'schedul=false')).toContain('did you mean "schedule"?');
    expect(await told('edit', 'added', '--set', 'headers.Authorization=Bearer x')).toContain(
      'secrets are not kept in the database',
    );
    expect(await told('edit', 'added')).toContain('--set KEY=VALUE, --unset KEY');
    expect(await told('edit', 'infile', '--set', 'schedule=false')).toContain(
      `infile is configured in ${join(directory, 'rsbridge.yaml')}; change it there`,
    );
    expect(await told('remove', 'nobody')).toContain('there is no source called nobody');
    expect(await told('add', urls[1] ?? '', '--set', 'schedule')).toContain('write KEY=VALUE');
  });

  test('settings are shown with where they come from, and changed', async () => {
    const changed = await sources('edit', 'added', '--set', 'files.mode=link', '--set', 'formats=[oai_dc]');
    expect(changed.code, changed.stderr).toBe(exitCodes.ok);
    const { settings } = JSON.parse((await sources('show', 'added', '--json')).stdout);
    expect(settings).toMatchObject({
      url: { value: urls[1], from: 'database' },
      schedule: { value: false, from: 'group', place: 'quiet' },
      formats: { value: ['oai_dc'], from: 'database' },
      overlapSeconds: { value: 300, from: 'default' },
    });
    expect(settings['files.mode']).toEqual({ value: 'link', from: 'database' });
    expect(settings['files.verify']).toEqual({ value: true, from: 'default' });
    await sources('edit', 'added', '--unset', 'formats', '--unset', 'files');
    const again = JSON.parse((await sources('show', 'added', '--json')).stdout).settings;
    expect(again.formats).toBe(undefined);
    expect(again['files.mode']).toEqual({ value: 'none', from: 'group', place: 'quiet' });
    const exported = JSON.parse((await sources('export')).stdout);
    expect(exported).toEqual({ sources: { added: { adapter: 'oai-pmh', group: 'quiet', url: urls[1] } } });
  });

  test('one that is paused is not read, unless it is named', async () => {
    const paused = await sources('pause', 'added', '--until', 'monday', '--why', 'they move house');
    expect(paused.stdout).toMatch(/^added is paused until \d{4}-\d\d-\d\dT00:00:00Z\n$/);
    const all = await runMain(directory, ['harvest']);
    expect(all.stderr).toMatch(/added is paused until .+ rsbridge harvest added reads it all the same/);
    expect(all.stdout).not.toContain('added:');
    expect((await runMain(directory, ['harvest', 'added'])).stdout).toContain('added: ');
    const status = await runMain(directory, ['status']);
    expect(status.stdout).toMatch(/^added .*paused until .+Z \(they move house\); up to date/m);
    expect(await told('pause', 'added', '--until', '2020-01-01')).toContain('has passed');
    expect(await told('pause', 'added', '--until', 'someday')).toContain('"someday" is no time');
    expect((await sources('resume', 'added', 'infile')).stdout).toBe(
      'added is read again\ninfile was not paused\n',
    );
    expect((await listed()).map(({ paused: is }) => is)).toEqual([false, false]);
  });

  test('a list is imported once, and what cannot be added is told with its line', async () => {
    const twin = createSampleRepository({ clock: systemClock, records: 2 });
    const { url } = await twin.listen(0);
    const list = join(directory, 'list.csv');
    writeFileSync(
      list,
      `\uFEFFname;url;group;Land\r\nnew;${url};quiet;JP\r\n;${urls[1]};;\r\nx;nowhere;;\r\ny;http://127.0.0.1:1/oai;;\r\nz;${url};none;\r\n`,
    );
    const dry = await sources('import', list, '--dry-run');
    expect(dry.stderr).toContain(
      '1 added, 2 already there, 1 not reachable, 1 not usable (dry run: nothing was kept)',
    );
    expect(await listed()).toHaveLength(2);
    const { code, stdout, stderr } = await sources('import', list);
    expect(stderr).toContain('CSV, separated by a semicolon');
    expect(stderr).toContain('not used: Land');
    expect(code).toBe(exitCodes.needsAttention);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => line.replace(/ {2,}/g, ' | '));
    expect(lines[0]).toBe(`line 2 | new | added | ${url} | ${lines[0]?.split(' | ').at(-1)}`);
    expect(lines.slice(1)).toEqual([
      `line 3 | already there | ${urls[1]} | as added`,
      `line 6 | already there | ${`${url} is at line 2 already`}`,
      expect.stringMatching(/^line 5 \| y \| not reachable \| http:\/\/127\.0\.0\.1:1\/oai \| /),
      expect.stringMatching(/^line 4 \| not usable \| "nowhere" is not one that can be read/),
    ]);
    expect((await sources('import', list)).stderr).toContain('3 already there');
    writeFileSync(list, `name,url\nbare,${url.replace('http://', '')}\n`);
    expect((await sources('import', list)).stdout).toMatch(/^line 2 +bare +already there .+ as new\n$/);
    expect((await sources('import', join(directory, 'none.csv'))).code).toBe(exitCodes.usage);
    await twin.close();
  });

  test('what a file says of a name counts, and the other is told of', async () => {
    configure({ infile: { url: urls[0] }, added: { url: urls[0] } });
    const { code, stderr } = await sources('list');
    expect(code).toBe(exitCodes.usage);
    expect(stderr).toContain('sources.added is in a file and in the database; the file counts');
    expect((await listed()).find(({ name }) => name === 'added')?.url).toBe(urls[0]);
    configure({ infile: { url: urls[0] } });
    expect((await sources('remove', 'added')).stdout).toMatch(
      /^added is neither read nor served any more; .+ rsbridge remove added\n$/,
    );
    expect((await listed()).map(({ name }) => name)).toEqual(['infile', 'new']);
  });

  test('one that its group spoils does not keep the others from work', async () => {
    writeFileSync(
      join(directory, 'rsbridge.yaml'),
      stringify({
        database: made.config,
        directory: join(directory, 'data'),
        sources: { infile: { url: urls[0] } },
      }),
    );
    const { stderr } = await sources('list');
    expect(stderr).toMatch(
      /sources\.new\.group: there is no group "quiet".+rsbridge sources edit new changes it/,
    );
    expect((await listed()).map(({ name }) => name)).toEqual(['infile']);
    expect((await runMain(directory, ['check'])).stdout).toMatch(/^FAIL {2}sources: sources\.new\.group/m);
    expect((await sources('edit', 'new', '--unset', 'group')).code).toBe(exitCodes.ok);
    expect((await listed()).map(({ name }) => name)).toEqual(['infile', 'new']);
  });
});
