import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../../src/bridge/log.ts';
import { createThreads, type OwnThreads } from '../../src/harvest/threads/threads.ts';
import { Simulator } from '../../src/simulate/simulator.ts';
import { Copy } from '../house/sync/copy.ts';

let source: Simulator;
let copy: Copy;
let threads: OwnThreads;
let rewriteManifest: (text: string) => string;

beforeEach(async () => {
  rewriteManifest = (text) => text;
  threads = createThreads(1, createLog('silent', process.stderr));
  source = await open();
  copy = new Copy({ origin: source.origin, now: source.repository.now });
});
afterEach(async () => {
  copy.end();
  await threads.close();
  await source.close();
});

function open(): Promise<Simulator> {
  return Simulator.open(
    {
      ...{ port: 0, rate: 0, resources: 700, size: 300, packageSize: 5000 },
      offers: ['resourcelist', 'resourcedump'],
    },
    [],
    { rewrite: (path, text) => (path === 'manifest.xml' ? rewriteManifest(text) : text) },
  );
}

function truth(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...source.repository.all()].map(({ path, content }) => [path, content.hash('sha256')]),
  );
}

/** By the addresses in the copy's own state, for several have other paths than their own. */
function held(): Readonly<Record<string, string>> {
  const digest = (text: string) => createHash('sha256').update(text).digest('hex');
  const own = (path: string) => `/${path.replace(/\/~self$/, '').replace(/~[0-9a-f]{8}$/, '')}`;
  return Object.fromEntries(Object.entries(copy.contents()).map(([path, text]) => [own(path), digest(text)]));
}

describe('a package with many members', () => {
  it('comes into an empty copy by a thread, whatever has to do with what else is in it', async () => {
    for (const path of ['/x', '/x/y', '/x/y/z', '/Case', '/case', '/f/g', '/f', '/CASE/below'])
      source.put(path, `this is ${path}`);
    const report = await copy.sync({}, { threads });
    expect(report).toMatchObject({ isComplete: true, packages: 1, copied: { created: 708, requests: 0 } });
    expect(held()).toEqual(truth());
    expect(await copy.sync({ way: 'audit' }, { threads })).toMatchObject({ read: { same: 708, due: 0 } });
  });

  it('of which one is not what is stated: that one is fetched by its address', async () => {
    rewriteManifest = (text) => text.replace(/path="([^"]*)"/, 'path="manifest.xml"');
    const report = await copy.sync({}, { threads });
    expect(report).toMatchObject({ isComplete: true, packages: 1, copied: { created: 700, requests: 1 } });
    expect(held()).toEqual(truth());
  });

  it('comes without threads all the same', async () => {
    expect(await copy.sync()).toMatchObject({ isComplete: true, copied: { created: 700, requests: 0 } });
    expect(held()).toEqual(truth());
  });
});
