import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ChangingSource } from '../house/sync/changing-source.ts';
import { Copy } from '../house/sync/copy.ts';

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

  it('a dry run says that it does not know', async () => {
    source.offers = ['resourcedump'];
    source.list();
    const { notes } = await copy.sync({ isDryRun: true });
    expect(notes).toEqual([expect.stringContaining('is known when it has been fetched')]);
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
