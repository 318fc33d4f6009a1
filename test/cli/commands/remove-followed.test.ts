import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { createSampleRepository } from '../../../src/demo/sample-repository.ts';
import { endServed, type Served, served } from '../../house/cli/processes.ts';
import { runBeside } from '../../house/cli/run-beside.ts';
import { freePort } from '../../house/process/free-port.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

const secret = 'in-a-file-of-its-own';
const documents = ['capabilitylist', 'resourcelist', 'changelist', 'changelist-index'];
const listsOf = (set: string) => documents.map((name) => `${set}/${name}.xml`);

describe('a source that is followed leaves the configuration, is published no more, and is removed', () => {
  const repositories = [31, 32, 33].map((seed) =>
    createSampleRepository({ clock: systemClock, records: 6, seed }),
  );
  let directory: string;
  let base: string;
  let port: number;
  let urls: readonly string[];
  let serving: Served | undefined;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'rsbridge-remove-followed-'));
    port = await freePort();
    base = `http://127.0.0.1:${port}`;
    urls = await Promise.all(repositories.map(async (one) => (await one.listen(0)).url));
    writeFileSync(join(directory, 'token.txt'), `${secret}\n`);
  });
  afterEach(async () => {
    if (serving) await endServed(serving);
    serving = undefined;
    await Promise.all(repositories.map((one) => one.close()));
    rmSync(directory, { recursive: true, force: true });
  });

  const source = (place: number, more: object = {}) => ({
    url: urls[place],
    ...{ schedule: false, fullPass: false, identifierPass: false, files: { mode: 'none' }, ...more },
  });
  const configure = (sources: object) =>
    writeFileSync(
      join(directory, 'rsbridge.yaml'),
      stringify({ baseUrl: base, listen: { port }, sources: { stays: source(0), ...sources } }),
    );
  async function run(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await runBeside(directory, args);
    expect(code, `${args.join(' ')}: ${stderr}`).toBe(0);
    return stdout;
  }
  async function restart(): Promise<void> {
    if (serving) await endServed(serving);
    serving = await served(directory);
  }
  const ask = (path: string, token?: string) =>
    fetch(`${base}/${path}`, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
  const text = async (path: string, token?: string) => (await ask(path, token)).text();
  /** By status, the paths that have it. */
  async function statuses(paths: readonly string[], token?: string): Promise<Record<number, string[]>> {
    const found: Record<number, string[]> = {};
    for (const path of paths) {
      const { status } = await ask(path, token);
      found[status] = [...(found[status] ?? []), path];
    }
    return found;
  }
  const follow = async () =>
    JSON.parse(await run('sync', `${base}/plain`, 'copy', `--map=${base}=.`, '--json')).summary;
  const copied = () =>
    readdirSync(join(directory, 'copy'), { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile() && one.parentPath.includes('items'))
      .map(({ name }) => name);
  const patience = { timeout: 60_000, interval: 100 };
  const isNamed = (name: string) => async () =>
    (await text('.well-known/resourcesync')).includes(`/${name}/capabilitylist.xml`);

  const sets = ['plain', 'plain/metadata', 'plain/sets/dc'];
  const lists = sets.flatMap(listsOf);

  async function saysItIsGone(): Promise<void> {
    expect(await statuses(lists)).toEqual({ 200: lists });
    for (const set of sets) {
      expect(await text(`${set}/resourcelist.xml`)).not.toContain('<url>');
      expect((await text(`${set}/changelist.xml`)).match(/change="deleted"/g)?.length).toBeGreaterThan(5);
    }
    expect(await isNamed('plain')()).toBe(false);
  }

  test('out of a file', async () => {
    const dc = { formats: ['oai_dc'] };
    const closed = source(2, { access: { tokenFile: 'token.txt' } });
    configure({ plain: source(1, { sets: { dc, former: dc } }), closed });
    await run('harvest');
    await run('publish');
    // One that it has no more before it goes.
    configure({ plain: source(1, { sets: { dc } }), closed });
    await restart();
    await expect.poll(isNamed('plain'), patience).toBe(true);
    await expect
      .poll(async () => (await statuses(listsOf('plain/sets/former')))[404], patience)
      .toEqual(listsOf('plain/sets/former'));
    expect(await statuses(listsOf('closed'), secret)).toEqual({ 200: listsOf('closed') });
    const token = JSON.parse(
      await run('admin', 'tokens', 'add', 'partner', '--set', 'closed', '--json'),
    ).token;
    await follow();
    expect(copied().length).toBeGreaterThan(5);

    configure({});
    await restart();
    await expect.poll(isNamed('plain'), patience).toBe(false);
    await run('publish');
    expect(await statuses(lists)).toEqual({ 404: lists });

    expect(await run('remove', 'plain')).toContain('resources deleted');
    await run('remove', 'closed');
    await saysItIsGone();
    await run('publish');
    await restart();
    await saysItIsGone();
    expect(await follow()).toMatchObject({ isComplete: true, ways: [{ way: 'incremental' }] });
    expect(copied()).toEqual([]);

    // What was not for everybody, and what it had no more, stay as they were.
    expect(await statuses(listsOf('plain/sets/former'))).toEqual({ 404: listsOf('plain/sets/former') });
    expect(await statuses(listsOf('closed'))).toEqual({ 401: listsOf('closed') });
    expect(await statuses(listsOf('closed'), token)).toEqual({ 200: listsOf('closed') });
    expect(await text('closed/changelist.xml', token)).toContain('change="deleted"');

    await run('remove', 'plain', '--at-once');
    await run('publish');
    expect(await statuses(lists)).toEqual({ 404: lists });
    expect(existsSync(join(directory, 'data/publication/plain'))).toBe(false);
  });

  test('out of the database, beside a process that goes on', async () => {
    configure({});
    const settings = Object.entries(source(1, { sets: { dc: { formats: ['oai_dc'] } } })).filter(
      ([key]) => key !== 'url',
    );
    const chosen = settings.flatMap(([key, value]) => ['--set', `${key}=${JSON.stringify(value)}`]);
    await restart();
    await run('sources', 'add', urls[1] ?? '', '--name', 'plain', ...chosen);
    await expect.poll(isNamed('plain'), patience).toBe(true);
    await expect.poll(() => statuses(lists), patience).toEqual({ 200: lists });
    // Another bridge that follows it.
    const other = mkdtempSync(join(tmpdir(), 'rsbridge-remove-follower-'));
    onTestFinished(() => rmSync(other, { recursive: true, force: true }));
    const far = { adapter: 'resourcesync', url: `${base}/plain/capabilitylist.xml` };
    writeFileSync(
      join(other, 'rsbridge.yaml'),
      stringify({ sources: { far: { ...source(1), ...far, allowPrivateAddresses: true } } }),
    );
    const harvest = async () => {
      const { code, stdout, stderr } = await runBeside(other, ['harvest', '--json']);
      expect(code, stderr).toBe(0);
      return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    };
    const { created } = await harvest();
    expect(created).toBeGreaterThan(5);

    await run('sources', 'remove', 'plain');
    await expect.poll(() => statuses(lists), patience).toEqual({ 404: lists });
    await expect.poll(isNamed('plain'), patience).toBe(false);
    await run('remove', 'plain', '--by-serve');
    await expect.poll(() => statuses(lists), patience).toEqual({ 200: lists });
    await expect.poll(() => text('plain/resourcelist.xml'), patience).not.toContain('<url>');
    await restart();
    await saysItIsGone();
    expect(await harvest()).toMatchObject({ deleted: created });
  });

  test('though nobody knows what was published of it', async () => {
    configure({ plain: source(1) });
    await run('harvest');
    await run('publish');
    configure({});
    rmSync(join(directory, 'data/publication'), { recursive: true });
    await restart();
    await expect.poll(isNamed('stays'), patience).toBe(true);
    await run('remove', 'plain');
    const own = ['plain', 'plain/metadata'].flatMap(listsOf);
    expect(await statuses(own)).toEqual({ 200: own });
    expect(await text('plain/metadata/changelist.xml')).toContain('change="deleted"');
    await run('publish');
    expect(await statuses(own)).toEqual({ 200: own });
  });

  test('and what became private before it left comes back to nobody', async () => {
    const bulletin = { collections: ['journal:bulletin'] };
    const ofSet = listsOf('plain/sets/bulletin');
    configure({ plain: source(1, { sets: { bulletin } }) });
    await run('harvest');
    await run('publish');
    await restart();
    expect(await statuses(ofSet)).toEqual({ 200: ofSet });
    await endServed(...(serving ? [serving] : []));
    // This configuration is read, and nothing is published by it.
    configure({ plain: source(1, { sets: { bulletin: { ...bulletin, access: {} } } }) });
    await run('harvest');
    configure({});
    await restart();
    await run('remove', 'plain');
    await run('remove', 'plain-bulletin');
    const whole = listsOf('plain');
    for (let round = 0; round < 2; round += 1) {
      expect(await statuses(whole)).toEqual({ 200: whole });
      expect(await statuses(ofSet)).toEqual({ 404: ofSet });
      expect(await statuses(listsOf('plain-bulletin'))).toEqual({ 401: listsOf('plain-bulletin') });
      await run('publish');
      await restart();
    }
  });
});
