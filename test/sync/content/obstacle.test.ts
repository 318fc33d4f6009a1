import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { obstacleOf } from '../../../src/sync/content/obstacle.ts';
import { ChangingSource } from '../../house/sync/changing-source.ts';
import { Copy } from '../../house/sync/copy.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-obstacle-'));
  mkdirSync(join(directory, 'folder'));
  writeFileSync(join(directory, 'file'), '');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test.each([
  ['ENOTDIR', 'file/a/b', /file is a file, and a folder of the copy has to be there; move it away$/],
  ['EEXIST', 'file', /file is a file, and a folder .* move it away$/],
  ['EISDIR', 'folder', /folder is a folder, and a file of the copy has to be there; move it away$/],
  ['EACCES', 'folder/a/b', /folder cannot be written by this user; run as the user who owns it, or make it/],
  ['EPERM', 'file', /file may not be opened by this user; run as/],
  ['EROFS', 'folder/a', /folder is on a file system that is read-only; make it writable/],
  ['EXDEV', 'folder/a', /folder is on another file system than the directory of the copy/],
])('%s at %s is told by what is there', (code, path, said) => {
  const place = join(directory, path);
  const ofPath = Object.assign(new Error(), { code, path: place });
  const ofMove = Object.assign(new Error(), { code, path: '/elsewhere', dest: place });
  const ofThread = Object.assign(new Error(`${code}: no, rename '/elsewhere' -> '${place}'`), { code });
  for (const error of [ofPath, ofMove, ofThread]) {
    expect(obstacleOf(error)).toMatch(said);
    expect(obstacleOf(error)).toContain(`in the copy: ${directory}`);
  }
});

test('other errors are none', () => {
  expect(obstacleOf(Object.assign(new Error('no'), { code: 'ENOENT', path: '/x' }))).toBeUndefined();
  expect(obstacleOf(new Error('EACCES'))).toBeUndefined();
  expect(obstacleOf(undefined)).toBeUndefined();
});

test('a file in the place of a folder is told once, with how many it keeps out, until it is moved away', async () => {
  const source = await ChangingSource.open();
  const copy = new Copy(source);
  for (const name of ['/in/1', '/in/2', '/in/deep/3', '/4']) source.put(name, name);
  source.list();
  writeFileSync(copy.path('in'), 'of my own');
  const report = await copy.sync();
  const reason = `in the copy: ${copy.path('in')} is a file, and a folder of the copy has to be there; move it away`;
  expect(report).toMatchObject({
    ...{ failures: [], obstacles: [{ reason, count: 3 }], left: 3, isComplete: false },
    copied: { created: 1 },
  });
  // As after a kill: what was due is looked for where it would lie.
  await copy.sync();
  expect((await copy.sync()).obstacles).toMatchObject([{ reason, count: 3, nextTry: expect.any(String) }]);
  expect(copy.contents()).toMatchObject({ in: 'of my own' });
  rmSync(copy.path('in'));
  source.pass(700);
  expect(await copy.sync()).toMatchObject({ obstacles: [], isComplete: true });
  expect(copy.contents()).toEqual(source.contents());
  // What had the place of its folder, and is gone, or is looked at.
  rmSync(copy.path('in'), { recursive: true });
  writeFileSync(copy.path('in'), 'again');
  source.remove('/in/1');
  expect(await copy.sync({ way: 'audit', maximumDeletions: 5 })).toMatchObject({
    ...{ obstacles: [{ count: 2 }], looked: { missing: 3 } },
    copied: { deleted: 1 },
  });
  expect(copy.contents()).toMatchObject({ in: 'again' });
  copy.end();
  await source.close();
});
