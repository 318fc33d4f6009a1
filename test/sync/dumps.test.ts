import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CopyDatabase } from '../../src/sync/state/copy-database.ts';
import { PassingResource } from '../../src/sync/state/due-resources.ts';
import { ExpectedFiles } from '../../src/sync/state/expected-files.ts';
import { ChangingSource } from '../house/sync/changing-source.ts';
import { Copy, filesBelow } from '../house/sync/copy.ts';

let source: ChangingSource;
let copy: Copy;

beforeEach(async () => {
  source = await ChangingSource.open();
  copy = new Copy(source);
  for (let number = 0; number < 30; number += 1) source.put(`/${number}`, `this is ${number}`);
});
afterEach(async () => {
  copy.end();
  await source.close();
});

function change(): void {
  for (let number = 0; number < 14; number += 1) source.put(`/${number}`, `this is another ${number}`);
  source.put('/3', 'for the third time');
  source.remove('/4');
  source.remove('/25');
  source.put('/new', 'new');
}

const packagesAsked = () => source.asked.filter((path) => path.startsWith('/cd-'));

describe('a Source that offers Change Dumps', () => {
  it.each([true, false])(
    'and no Change List is followed by their manifests (linked: %s)',
    async (isLinked) => {
      source.offers = ['resourcelist', 'changedump'];
      source.linksManifests = isLinked;
      source.list();
      await copy.sync();
      source.takeAsked();
      change();
      const report = await copy.sync();
      expect(report).toMatchObject({ ways: [{ way: 'incremental' }], notes: [], isComplete: true });
      expect(copy.contents()).toEqual(source.contents());
      expect(source.takeAsked()).toEqual([]);
      // Packages of intervals that have ended are not fetched once more.
      const again = await copy.sync();
      expect(again).toMatchObject({ isComplete: true, copied: { requests: 0, created: 0, updated: 0 } });
      expect(new Set(packagesAsked()).size).toBeLessThanOrEqual(1);
    },
  );

  it('and a Change List is read by the list, and many small changes come by the package', async () => {
    source.offers = ['resourcelist', 'changelist', 'changedump'];
    source.list();
    await copy.sync();
    source.takeAsked();
    change();
    const report = await copy.sync();
    expect(report).toMatchObject({ isComplete: true, notes: [], copied: { requests: 0 } });
    expect(report.packages).toBeGreaterThan(0);
    expect(source.takeAsked()).toEqual([]);
    expect(copy.contents()).toEqual(source.contents());
    source.put('/one', 'alone');
    expect(await copy.sync()).toMatchObject({ packages: 0, copied: { requests: 1 } });
  });

  it('of which a package cannot be read: what it had is missing, and is found by an audit', async () => {
    source.offers = ['resourcelist', 'changedump'];
    source.list();
    await copy.sync();
    change();
    source.list();
    source.interferences.set('/cd-7.zip', (response) => {
      response.writeHead(200).end('this is no ZIP');
      return true;
    });
    const report = await copy.sync();
    expect(report.ways.map(({ way }) => way)).toEqual(['incremental', 'audit']);
    expect(report.notes).toEqual([expect.stringContaining('changes may be missing')]);
    expect(copy.contents()).toEqual(source.contents());
  });
});

describe('a Source that offers dumps alone', () => {
  it('tells of no changes by a Change Dump that is open and has no packages yet', async () => {
    source.offers = ['resourcedump', 'changedump'];
    source.list();
    const begun = 'from="2026-11-01T00:00:00Z"';
    source.rewrite = (path, text) =>
      path === '/cd.xml' ? text.replace(/<url>.*<\/url>/s, '').replace(/from="[^"]*"/, begun) : text;
    expect(await copy.sync()).toMatchObject({ notes: [], isComplete: true });
    source.asked.splice(0);
    expect(await copy.sync()).toMatchObject({
      ways: [{ way: 'incremental' }],
      notes: [],
      packages: 0,
      isComplete: true,
    });
    expect(source.asked.filter((path) => path.endsWith('.zip'))).toEqual([]);
    source.rewrite = (_, text) => text;
    source.put('/5', 'later');
    expect(await copy.sync()).toMatchObject({ ways: [{ way: 'incremental' }], isComplete: true });
    expect(copy.contents()).toEqual(source.contents());
  });

  it('is copied by their manifests, and compared the next time', async () => {
    source.offers = ['resourcedump'];
    source.list();
    expect(await copy.sync()).toMatchObject({ packages: 1, isComplete: true, copied: { created: 30 } });
    expect(copy.contents()).toEqual(source.contents());
    change();
    source.list();
    expect(await copy.sync()).toMatchObject({ ways: [{ way: 'audit' }], isComplete: true });
    expect(copy.contents()).toEqual(source.contents());
    expect(source.takeAsked()).toEqual([]);
  });

  it('is asked for no package that was read before, as long as the copy has what is in it', async () => {
    const packages = () => source.asked.splice(0).filter((path) => path.endsWith('.zip'));
    source.offers = ['resourcedump'];
    source.packageSize = 20;
    source.list();
    await copy.sync();
    expect(packages()).toHaveLength(2);
    const again = await copy.sync();
    expect(again).toMatchObject({ isComplete: true, packages: 0, read: { entries: 30, same: 30 } });
    expect(packages()).toEqual([]);
    // What others took away comes from the package that has it, and from no other.
    rmSync(copy.path('3'));
    expect(await copy.sync({ way: 'audit' })).toMatchObject({ isComplete: true, packages: 1 });
    expect(packages()).toHaveLength(1);
    expect(copy.contents()).toEqual(source.contents());
    change();
    source.list();
    expect(await copy.sync()).toMatchObject({ isComplete: true, copied: { deleted: 2 } });
    expect(copy.contents()).toEqual(source.contents());
    expect(source.takeAsked()).toEqual([]);
  });

  it('is asked for a package again that says nothing of its bytes', async () => {
    source.offers = ['resourcedump'];
    source.rewrite = (path, text) => (path === '/rd.xml' ? text.replace(/ hash="[^"]*"/g, '') : text);
    source.list();
    await copy.sync();
    expect(await copy.sync()).toMatchObject({ packages: 1, isComplete: true });
  });

  it('a dry run says that it does not know', async () => {
    source.offers = ['resourcedump'];
    source.list();
    const { notes } = await copy.sync({ isDryRun: true });
    expect(notes).toEqual([expect.stringContaining('is known when it has been fetched')]);
  });
});

describe('an empty copy of a Source with dumps and Change Lists', () => {
  const asksForList = () => source.asked.includes('/rl.xml');
  beforeEach(() => {
    source.offers = ['resourcelist', 'changelist', 'resourcedump'];
    source.packageSize = 20;
    // Longer than changes are read again.
    source.pass(7_200);
    source.list();
  });

  it('is filled from the packages alone, in the state of the newest changes: what is gone never comes', async () => {
    source.put('/3', 'for the second time');
    source.remove('/4');
    source.put('/new', 'new');
    const report = await copy.sync();
    expect(report).toMatchObject({ packages: 2, isComplete: true, read: { doomed: 0 }, held: 30 });
    expect(report.copied).toMatchObject({ created: 30, updated: 0, deleted: 0, requests: 2 });
    expect(copy.contents()).toEqual(source.contents());
    expect(asksForList()).toBe(false);
    expect(source.takeAsked().sort()).toEqual(['/3', '/new']);
    source.put('/5', 'later');
    expect(await copy.sync()).toMatchObject({ ways: [{ way: 'incremental' }], copied: { requests: 1 } });
    expect(await copy.sync({ way: 'audit' })).toMatchObject({ read: { due: 0, doomed: 0 } });
    expect(copy.contents()).toEqual(source.contents());
  });

  it('with a backup is filled from them, too; what lies there already is put aside, and what is replaced later', async () => {
    const backup = `${copy.directory}-backup`;
    expect(await copy.sync({ backup })).toMatchObject({ packages: 2, copied: { created: 30, requests: 0 } });
    expect(asksForList()).toBe(false);
    expect(existsSync(backup)).toBe(false);
    source.put('/5', 'later');
    await copy.sync({ backup });
    expect(filesBelow(backup)).toEqual({ 5: 'this is 5' });
    const other = new Copy(source);
    try {
      mkdirSync(other.directory, { recursive: true });
      writeFileSync(join(other.directory, '7'), 'of somebody');
      expect(await other.sync({ backup })).toMatchObject({ isComplete: true, held: 30 });
      expect(filesBelow(backup)).toEqual({ 5: 'this is 5', 7: 'of somebody' });
      expect(other.contents()).toEqual(source.contents());
    } finally {
      other.end();
      rmSync(backup, { recursive: true });
    }
  });

  it('takes the list where one of the packages is of no use, and goes on with what came', async () => {
    source.interferences.set('/rd-2.zip', (response) => {
      response.writeHead(200).end('this is no ZIP');
      return true;
    });
    const report = await copy.sync();
    expect(report).toMatchObject({ held: 30, left: 0, read: { same: 20 }, copied: { created: 30 } });
    expect(asksForList()).toBe(true);
    expect(copy.contents()).toEqual(source.contents());
  });

  it('has one package on its way while it takes from another, and leaves it where that is of no use', async () => {
    source.rewrite = (path, text) => (path === 'manifest.xml' ? 'no manifest' : text);
    expect(await copy.sync()).toMatchObject({ held: 30, left: 0, copied: { created: 30 } });
    expect(source.asked).toEqual(expect.arrayContaining(['/rd-1.zip', '/rd-2.zip', '/rl.xml']));
    expect(readdirSync(join(copy.directory, '.rsbridge', 'parts'))).toEqual([]);
    expect(copy.contents()).toEqual(source.contents());
  });

  it('asks for no other package where one has not arrived as it is stated', async () => {
    source.interferences.set('/rd-1.zip', (response) => {
      response.writeHead(200).end('this is no ZIP');
      return true;
    });
    expect(await copy.sync()).toMatchObject({ held: 30, left: 0 });
    expect(source.asked.slice(0, source.asked.indexOf('/rl.xml'))).not.toContain('/rd-2.zip');
  });

  it('takes the list, with its links, for a resource that a package does not have as it says', async () => {
    source.rewrite = (path, text) =>
      path === 'manifest.xml' ? text.replace(/path="[^"]*"/, 'path="/manifest.xml"') : text;
    const report = await copy.sync();
    expect(report).toMatchObject({ isComplete: true, held: 30, copied: { created: 30, requests: 2 } });
    expect(asksForList()).toBe(true);
    expect(copy.contents()).toEqual(source.contents());
  });

  it('takes the list where changes do not reach back to the dump', async () => {
    source.remove('/4');
    source.forget();
    source.put('/5', 'later');
    const { notes } = await copy.sync();
    expect(notes).toEqual([expect.stringContaining('changes may be missing')]);
    expect(asksForList()).toBe(true);
  });

  it('takes the list where somebody wants to know of each change, with its links', async () => {
    const told: string[] = [];
    const tell = async ({ loc }: { readonly loc: string }) => void told.push(loc);
    await copy.sync({}, { telling: { tell, atOnce: 1 } });
    expect(told).toHaveLength(30);
    expect(asksForList()).toBe(true);
  });

  it('has a resource once that a manifest names twice', async () => {
    source.rewrite = (path, text) =>
      path === 'manifest.xml' ? text.replace(/(<url>.*?<\/url>)/s, '$1$1') : text;
    expect(await copy.sync()).toMatchObject({ held: 30, isComplete: true });
    expect(copy.contents()).toEqual(source.contents());
  });

  /** As a run that was killed while it made files leaves them. @param folder of the files, in the copy */
  function killed(folder: string, files: Readonly<Record<string, string>>): void {
    const database = CopyDatabase.open(copy.directory);
    database.keep('working', 'yes');
    const expected = Object.keys(files).map((name) => {
      const text = `this is ${name}`;
      const hashes = [`sha-256:${createHash('sha256').update(text).digest('hex')}`];
      const stated = { loc: `${source.origin}/${name}`, hashes, length: text.length, lastmod: undefined };
      return new PassingResource({ ...stated, change: undefined, type: undefined, links: [] }, source.now);
    });
    new ExpectedFiles(database).expect(expected);
    database.close();
    mkdirSync(copy.path(folder), { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(copy.path(folder), name), text);
  }

  it('has no file of a resource that is gone since a run was killed while it made files', async () => {
    killed('.', { 4: 'this is 4' });
    source.remove('/4');
    source.list();
    await copy.sync();
    expect(copy.contents()).toEqual(source.contents());
  });

  it('goes on from a run that was killed while it filled the copy, with no file that has only begun', async () => {
    killed('.rsbridge/aside', { 4: 'this is 4', 5: 'this', 6: 'this', 7: 'this is 7' });
    source.remove('/4');
    source.remove('/5');
    source.list();
    // What was there to its end stays.
    expect(await copy.sync()).toMatchObject({ isComplete: true, read: { same: 1, doomed: 1 } });
    expect(copy.contents()).toEqual(source.contents());
    expect(existsSync(copy.path('.rsbridge/aside'))).toBe(false);
  });

  it('shows nothing of itself before it is filled, and then all of it', async () => {
    let seen: readonly string[] | undefined;
    source.packageSize = 10;
    source.list();
    source.interferences.set('/rd-3.zip', () => {
      seen = readdirSync(copy.directory);
      return false;
    });
    await copy.sync();
    expect(copy.contents()).toEqual(source.contents());
    expect(seen).toEqual(['.rsbridge']);
  });
});

describe('a package with more members than are gathered at a time', () => {
  beforeEach(() => {
    for (let number = 30; number < 2_200; number += 1) source.put(`/${number}`, `this is ${number}`);
    source.offers = ['resourcelist', 'changelist', 'resourcedump'];
    source.partSize = 5_000;
    source.packageSize = 5_000;
    source.list();
  });

  it('is copied to its end', async () => {
    const report = await copy.sync();
    expect(report).toMatchObject({ packages: 1, isComplete: true, copied: { created: 2_200, requests: 0 } });
    expect(copy.contents()).toEqual(source.contents());
  });
});
