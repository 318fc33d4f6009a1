import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { demoCommand } from '../../src/cli/demo/demo.ts';
import { freePort } from '../house/process/free-port.ts';

/** The demo at a pace at which everything that can happen within an hour happens within seconds. */
const pace = {
  roundMs: 50,
  calmMs: 0,
  manners: { still: 2_000, stillForAudit: 5_000, keep: 2_000, longest: 600_000 },
};
const directory = mkdtempSync(join(tmpdir(), 'rsbridge-demo-'));
const stop = new AbortController();
let base: string;
let running: Promise<number>;
const told: string[] = [];

beforeAll(async () => {
  const port = await freePort();
  base = `http://localhost:${port}`;
  const printed = new EventEmitter();
  const ready = once(printed, 'address');
  const stdout = new Writable({
    write: (chunk, _encoding, done) => {
      told.push(String(chunk));
      printed.emit('address');
      done();
    },
  });
  const stderr = new Writable({ write: (_chunk, _encoding, done) => done() });
  const io = { stdout, stderr, env: {}, cwd: directory, stop: stop.signal, abort: stop.signal };
  running = demoCommand({ port, data: 'demo', editEvery: 0.01, json: true }, io, pace);
  await Promise.race([ready, running]);
});

afterAll(async () => {
  stop.abort();
  await running;
  rmSync(directory, { recursive: true, force: true });
});

async function get(url: string, agent = 'copier'): Promise<{ status: number; text: string }> {
  const response = await fetch(url, { headers: { 'user-agent': agent, accept: '*/*' } });
  return { status: response.status, text: await response.text() };
}

interface Entry {
  readonly loc: string;
  readonly lastmod: string | undefined;
  readonly change: string | undefined;
}

async function entriesOf(path: string): Promise<readonly Entry[]> {
  const { text } = await get(`${base}/${path}`);
  return [...text.matchAll(/<url><loc>([^<]+)<\/loc>.*?<\/url>/gs)].map(([entry, loc = '']) => ({
    loc,
    lastmod: /<lastmod>([^<]+)/.exec(entry)?.[1],
    change: /change="(\w+)"/.exec(entry)?.[1],
  }));
}

/** Until something was published that was not there before. */
async function untilItMoves(): Promise<void> {
  const read = async () => (await get(`${base}/sample/changelist.xml`, 'watcher')).text;
  const before = await read();
  while ((await read()) === before) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

test('what is printed leads into the dashboard, and to the records by OAI-PMH', async () => {
  const urls = told.map((line) => (JSON.parse(line) as { url: string }).url);
  expect(urls).toContain(`${base}/sample/oai?verb=Identify`);
  const link = urls.find((url) => url.startsWith(`${base}/admin/link?key=`)) ?? '';
  const { status, text } = await get(link);
  expect(status).toBe(200);
  expect(text).toContain('type="password"');
});

test('a client copies the demo, follows it and compares, and nothing is gone or disagrees', async () => {
  const copy = new Map<string, string | undefined>();
  for (const { loc, lastmod } of await entriesOf('sample/sets/theses/resourcelist.xml')) {
    expect([loc, (await get(loc)).status]).toEqual([loc, 200]);
    copy.set(loc, lastmod);
  }
  expect(copy.size).toBeGreaterThan(50);
  for (let visit = 0; visit < 3; visit += 1) {
    await untilItMoves();
    for (const { loc, lastmod, change } of await entriesOf('sample/sets/theses/changelist.xml')) {
      if (change === 'deleted') {
        copy.delete(loc);
      } else if (copy.get(loc) !== lastmod) {
        expect([loc, (await get(loc)).status]).toEqual([loc, 200]);
        copy.set(loc, lastmod);
      }
    }
    const list = await entriesOf('sample/sets/theses/resourcelist.xml');
    expect(new Map(list.map(({ loc, lastmod }) => [loc, lastmod]))).toEqual(new Map([...copy].sort()));
  }
});
