import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { headContent, type Inventory } from '../../../src/sync/ocfl/inventory.ts';
import { archiveTool, archiveTools } from '../../house/interop/archive-tools.ts';
import { ChangingSource } from '../../house/sync/changing-source.ts';
import { Copy } from '../../house/sync/copy.ts';

let source: ChangingSource;
let copy: Copy;

beforeEach(async () => {
  source = await ChangingSource.open();
  copy = new Copy(source);
});
afterEach(async () => {
  copy.end();
  await source.close();
});

const sync = () => copy.sync({ sink: 'ocfl', maximumDeletions: 100 });
const root = () => join(copy.directory, 'ocfl');

function objectOf(path: string): string {
  const loc = `${source.origin}${path}`;
  const digest = createHash('sha256').update(loc).digest('hex');
  const name = encodeURIComponent(loc)
    .replaceAll('.', '%2e')
    .replace(/%../g, (octet) => octet.toLowerCase());
  return join(root(), digest.slice(0, 3), digest.slice(3, 6), digest.slice(6, 9), name);
}

function inventoryOf(path: string): Inventory {
  const text = readFileSync(join(objectOf(path), 'inventory.json'), 'utf8');
  const sidecar = readFileSync(join(objectOf(path), 'inventory.json.sha512'), 'utf8');
  expect(sidecar).toBe(`${createHash('sha512').update(text).digest('hex')} inventory.json\n`);
  return JSON.parse(text) as Inventory;
}

/** Contents of the newest versions, by path; what is deleted has none. */
function heads(paths: readonly string[]) {
  return paths.map((path) => {
    const content = headContent(inventoryOf(path));
    return content && readFileSync(join(objectOf(path), content), 'utf8');
  });
}

async function history(): Promise<void> {
  source.put('/a.txt', 'first');
  source.put('/b/', 'gone soon');
  source.put('/large', 'x'.repeat(600_000));
  source.list();
  expect(await sync()).toMatchObject({ isComplete: true, copied: { created: 3 } });
  source.put('/a.txt', 'second');
  source.remove('/b/');
  await sync();
  source.put('/a.txt', 'first');
  source.put('/b/', 'gone soon');
  expect(await sync()).toMatchObject({ isComplete: true });
}

describe('a copy as OCFL', () => {
  it('has an object for each resource, and a version for each change', async () => {
    await history();
    expect(heads(['/a.txt', '/b/', '/large'])).toEqual(['first', 'gone soon', 'x'.repeat(600_000)]);
    const { head, manifest, versions, id } = inventoryOf('/a.txt');
    expect(id).toBe(`${source.origin}/a.txt`);
    expect(head).toBe('v3');
    // What is there already is not kept twice.
    expect(Object.values(manifest).flat()).toEqual(['v1/content/a.txt', 'v2/content/a.txt']);
    expect(Object.values(versions).map(({ message }) => message.split(' ', 1)[0])).toEqual([
      'created',
      'updated',
      'updated',
    ]);
    expect(Object.values(inventoryOf('/b/').versions).map(({ state }) => Object.keys(state).length)).toEqual([
      1, 0, 1,
    ]);
  });

  it.skipIf(archiveTools === undefined)('is valid for ocfl-py', async () => {
    await history();
    const { passed, talk } = archiveTool('ocfl', root()) as { passed: boolean; talk: string };
    expect(passed, talk).toBe(true);
    source.remove('/a.txt');
    await sync();
    expect(archiveTool('ocfl', root())).toMatchObject({ passed: true });
  });

  it('after a kill in between, an object is what it was before or after it', async () => {
    await history();
    const object = objectOf('/a.txt');
    // A version was there, and no inventory had it yet; the digest of an inventory is older than what it says.
    mkdirSync(join(object, 'v4', 'content'), { recursive: true });
    writeFileSync(join(object, 'inventory.json.sha512'), 'half');
    // And an object that never got its inventory.
    rmSync(join(objectOf('/large'), 'inventory.json'));
    source.put('/a.txt', 'fourth');
    source.put('/large', 'small');
    expect(await sync()).toMatchObject({ isComplete: true });
    expect(heads(['/a.txt', '/large'])).toEqual(['fourth', 'small']);
    expect(readdirSync(object).sort()).toEqual(
      ['0=ocfl_object_1.1', 'inventory.json', 'inventory.json.sha512', 'v1', 'v2', 'v3', 'v4'].sort(),
    );
    if (archiveTools) expect(archiveTool('ocfl', root())).toMatchObject({ passed: true });
  });
});
