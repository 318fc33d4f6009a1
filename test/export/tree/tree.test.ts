import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ExportTree, isExportPath } from '../../../src/export/tree/tree.ts';

let root: string;
let tree: ExportTree;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rsbridge-tree-'));
  tree = openTree();
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function openTree(dryRun = false): ExportTree {
  const workshop = join(root, '.rsbridge-export');
  mkdirSync(workshop, { recursive: true });
  return new ExportTree({ root, workshop, dryRun });
}

const lastModified = '2026-11-21T04:38:00Z';
const content = (text: string) => ({
  length: Buffer.byteLength(text),
  lastModified,
  chunks: () => [Buffer.from(text)],
});

describe('the files of an export', () => {
  test('appear whole with their time, and are not touched again', async () => {
    expect(await tree.put('a/b/c.xml', content('<a/>'))).toBe('nothing');
    const before = lstatSync(join(root, 'a/b/c.xml'));
    expect(before.mtimeMs).toBe(Date.parse(lastModified));
    expect(await tree.put('a/b/c.xml', content('<a/>'))).toBe('the same');
    expect(lstatSync(join(root, 'a/b/c.xml')).ino).toBe(before.ino);
    expect(await tree.put('a/b/c.xml', content('<b/>'))).toBe('another');
    expect(tree.counts).toEqual({ written: 2, removed: 0, bytes: 8 });
    expect(readdirSync(join(root, '.rsbridge-export'))).toEqual([]);
  });

  test('with the right bytes and the wrong time get the right time', async () => {
    await tree.put('a.xml', { ...content('<a/>'), lastModified: '2020-01-01T00:00:00Z' });
    const { ino } = lstatSync(join(root, 'a.xml'));
    expect(await tree.put('a.xml', content('<a/>'))).toBe('the same');
    expect(lstatSync(join(root, 'a.xml'))).toMatchObject({ ino, mtimeMs: Date.parse(lastModified) });
  });

  test('leave nothing behind when their content ends early or fails', async () => {
    await tree.put('a.xml', content('<a/>'));
    await expect(tree.put('a.xml', { ...content('<longer/>'), length: 100 })).rejects.toThrow('octets');
    const failing = { length: 9, chunks: throwing };
    await expect(tree.put('a.xml', failing)).rejects.toThrow('gone');
    expect(readFileSync(join(root, 'a.xml'), 'utf8')).toBe('<a/>');
    expect(readdirSync(join(root, '.rsbridge-export'))).toEqual([]);
  });

  test('are removed with the directories that they leave empty', async () => {
    await tree.put('a/b/c/d.xml', content('<a/>'));
    await tree.put('a/e.xml', content('<a/>'));
    await tree.remove('a/b/c/d.xml');
    await tree.remove('a/b/c/d.xml');
    await tree.remove('never/was.xml');
    expect(tree.counts.removed).toBe(1);
    expect(readdirSync(join(root, 'a'))).toEqual(['e.xml']);
    await tree.put('a/b/c/d.xml', content('<a/>'));
    expect(readdirSync(join(root, 'a')).sort()).toEqual(['b', 'e.xml']);
  });

  test('a dry run counts and touches nothing', async () => {
    writeFileSync(join(root, 'old.xml'), '<old/>');
    const dry = openTree(true);
    await dry.put('a.xml', content('<a/>'));
    await dry.remove('old.xml');
    expect(dry.counts).toEqual({ written: 1, removed: 1, bytes: 4 });
    expect(readdirSync(root).sort()).toEqual(['.rsbridge-export', 'old.xml']);
  });

  test('a symbolic link in the place of a directory ends it; one in the place of a file is replaced', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'rsbridge-outside-'));
    writeFileSync(join(outside, 'x.xml'), 'precious');
    symlinkSync(outside, join(root, 'linked'));
    symlinkSync(join(outside, 'x.xml'), join(root, 'file.xml'));
    await expect(tree.put('linked/x.xml', content('<a/>'))).rejects.toThrow('in the way');
    await expect(tree.write('linked/y.xml', content('<a/>'))).rejects.toThrow('in the way');
    await expect(tree.remove('linked/x.xml')).rejects.toThrow('in the way');
    await tree.put('file.xml', content('<a/>'));
    expect(lstatSync(join(root, 'file.xml')).isFile()).toBe(true);
    expect(readdirSync(outside)).toEqual(['x.xml']);
    expect(readFileSync(join(outside, 'x.xml'), 'utf8')).toBe('precious');
    rmSync(outside, { recursive: true });
  });

  test.each([
    '',
    '/',
    '../a',
    'a/../b',
    './a',
    'a//b',
    'a/',
    '/a',
    'a\0b',
    'a\\b',
    'a%2Fb',
    '.rsbridge-export.json',
  ])('no path of ours: %j', async (path) => {
    await expect(tree.put(path, content('<a/>'))).rejects.toThrow(RangeError);
    await expect(tree.remove(path)).rejects.toThrow(RangeError);
  });

  test('no path that is one of ours leads out of the root', () => {
    const piece = fc.constantFrom('..', '.', '/', 'a', '~2F', '...', '.well-known', ':', '-');
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const path = pieces.join('');
        if (isExportPath(path)) expect(join('/root', path).startsWith(`/root/${path}`)).toBe(true);
      }),
    );
  });
});

function* throwing(): Generator<Uint8Array> {
  yield Buffer.from('abc');
  throw new Error('gone');
}
