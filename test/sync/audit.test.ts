import { rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ChangingSource } from '../house/sync/changing-source.ts';
import { Copy } from '../house/sync/copy.ts';

let source: ChangingSource;
let copy: Copy;

beforeEach(async () => {
  source = await ChangingSource.open();
  copy = new Copy(source);
  for (const name of ['/whole', '/edited', '/longer', '/lost', '/folder/inside']) source.put(name, name);
  source.list();
});
afterEach(async () => {
  copy.end();
  await source.close();
});

const damage = () => {
  // Of the same length: its time tells.
  writeFileSync(copy.path('edited'), '/EDITED');
  writeFileSync(copy.path('longer'), 'another text');
  rmSync(copy.path('lost'));
  rmSync(copy.path('folder'), { recursive: true });
};
const audit = { way: 'audit' } as const;

describe('an audit that is asked for', () => {
  test('looks at the files of the copy, and mends what others altered or took away', async () => {
    await copy.sync();
    damage();
    source.takeAsked();
    const report = await copy.sync(audit);
    expect(report).toMatchObject({
      looked: { files: 5, altered: 2, missing: 2 },
      copied: { requests: 4, failed: 0 },
      held: 5,
      isComplete: true,
    });
    expect(copy.contents()).toEqual(source.contents());
    expect(await copy.sync(audit)).toMatchObject({
      looked: { files: 5, altered: 0, missing: 0 },
      copied: { requests: 0 },
    });
  });

  test('tells of it alone, in a dry run', async () => {
    await copy.sync();
    damage();
    const before = copy.contents();
    const report = await copy.sync({ ...audit, isDryRun: true });
    expect(report).toMatchObject({ looked: { altered: 2, missing: 2 }, due: { count: 4 } });
    expect(copy.contents()).toEqual(before);
    expect(await copy.sync(audit)).toMatchObject({ looked: { altered: 2, missing: 2 } });
  });

  test('looks at what came after the list was made, too', async () => {
    await copy.sync();
    source.put('/later', 'later');
    source.put('/lost', 'another');
    await copy.sync();
    rmSync(copy.path('later'));
    writeFileSync(copy.path('lost'), '?');
    expect(await copy.sync(audit)).toMatchObject({
      looked: { files: 6, altered: 1, missing: 1 },
      isComplete: true,
    });
    expect(copy.contents()).toEqual(source.contents());
  });

  test('looks at them where the list cannot be read to its end', async () => {
    source.partSize = 2;
    source.list();
    await copy.sync();
    damage();
    const last =
      source.asked
        .filter((path) => /\/rl.+\.xml/.test(path))
        .sort()
        .at(-1) ?? '';
    source.interferences.set(last, (response) => Boolean(response.writeHead(404).end()));
    const report = await copy.sync(audit);
    expect(report).toMatchObject({ looked: { files: 5, altered: 2, missing: 2 }, isComplete: false });
    expect(copy.contents()).toEqual(source.contents());
  });

  test('gives a file that has its bytes, and another time, its time, and fetches nothing', async () => {
    await copy.sync();
    const { mtimeMs } = statSync(copy.path('whole'));
    utimesSync(copy.path('whole'), 1, 1);
    const report = await copy.sync(audit);
    expect(report).toMatchObject({ looked: { altered: 0, missing: 0 }, copied: { requests: 0 } });
    expect(statSync(copy.path('whole')).mtimeMs).toBe(mtimeMs);
  });

  test('takes away what was altered here and is gone from the Source', async () => {
    await copy.sync();
    writeFileSync(copy.path('edited'), '?');
    source.remove('/edited');
    expect(await copy.sync(audit)).toMatchObject({ isComplete: true });
    expect(copy.contents()).toEqual(source.contents());
  });

  test('needs no room for what it mends in a copy that is full', async () => {
    await copy.sync();
    damage();
    const octets = Object.values(source.contents()).join('').length;
    const report = await copy.sync({ ...audit, quota: { octets, resources: 5 } });
    expect(report).toMatchObject({ isComplete: true, copied: { updated: 4 } });
    expect(copy.contents()).toEqual(source.contents());
  });

  test('puts aside what others made of a file, where there is a place for it', async () => {
    await copy.sync();
    damage();
    const backup = join(copy.directory, 'kept');
    await copy.sync({ ...audit, backup });
    expect(copy.contents()).toMatchObject({ 'kept/edited': '/EDITED', 'kept/longer': 'another text' });
  });

  test('says nothing of files where they are not in a directory', async () => {
    await copy.sync({ sink: 'ocfl' });
    expect((await copy.sync(audit)).looked).toBeUndefined();
  });
});

test('a comparison that nobody asked for looks at no file', async () => {
  source.offers = ['resourcelist'];
  await copy.sync();
  damage();
  expect(await copy.sync()).toMatchObject({ looked: undefined, copied: { requests: 0 } });
});
