import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import { openBridge } from '../../../src/bridge/bridge.ts';
import { createLog } from '../../../src/bridge/log.ts';
import { createSourceWork } from '../../../src/bridge/work/source-work.ts';
import { parseConfig } from '../../../src/core/config/config.ts';
import { closeFileServers, serveFiles } from '../../house/harvest/file-server.ts';
import { migratedPostgres, migratedSqlite } from '../../house/store/databases.ts';
import { ToldSource } from '../../house/store/told-source.ts';

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  await closeFileServers();
});

/** A source with these files, mirrored, and the work on it as a service does it. */
async function working(kind: 'sqlite' | 'pg', urls: readonly string[]) {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-patience-'));
  cleanups.push(() => rmSync(directory, { recursive: true, force: true }));
  const { config: database, drop } = kind === 'sqlite' ? migratedSqlite() : await migratedPostgres();
  cleanups.push(drop);
  const source = { url: new URL('/oai', urls[0]).href, schedule: false, files: { mode: 'mirror' } };
  const log = createLog('silent', new Writable({ write: (_chunk, _coding, done) => done() }));
  const bridge = await openBridge(
    parseConfig({ directory, database, sources: { kyoto: source } }),
    log,
    'migrate',
  );
  cleanups.push(() => bridge.close());
  const told = await ToldSource.open(bridge.database, 'kyoto');
  await told.tell({ 1: { files: urls } });
  await told.close();
  const stop = new AbortController();
  const work = createSourceWork(bridge, { stop: stop.signal, signal: stop.signal });
  const end = () => {
    stop.abort();
    return work.end();
  };
  cleanups.push(end);
  const outcomes = () =>
    bridge.database.reader('remote_file').where({ source_id: told.id }).orderBy('url').pluck('outcome');
  return { work, end, outcomes };
}

test.each(['sqlite', 'pg'] as const)(
  'a server that asks for patience gets it, and is asked again without a harvest, on %s',
  async (kind) => {
    let busy = 1;
    const server = await serveFiles((_request, response) => {
      if (busy > 0) {
        busy -= 1;
        response.writeHead(503, { 'retry-after': '1' }).end();
      } else response.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF');
    });
    const { work, outcomes } = await working(kind, [`${server.url}/1.pdf`, `${server.url}/2.pdf`]);
    await work.followFiles('kyoto');
    expect(await outcomes()).not.toContain('confirmed');
    await expect.poll(outcomes, { interval: 50 }).toEqual(['confirmed', 'confirmed']);
  },
);

test('one that goes on asking for it is left alone after some turns', async () => {
  const server = await serveFiles((_request, response) => {
    response.writeHead(503, { 'retry-after': '1' }).end();
  });
  const { work, end } = await working('sqlite', [`${server.url}/1.pdf`]);
  await work.followFiles('kyoto');
  await expect.poll(() => server.asked.length, { interval: 50 }).toBe(4);
  // What is under way ends by itself then: nothing is waited for.
  await end();
  expect(server.asked).toHaveLength(4);
});

test('nobody waits for it at the end', async () => {
  const server = await serveFiles((_request, response) => {
    response.writeHead(503, { 'retry-after': '600' }).end();
  });
  const { work, end } = await working('sqlite', [`${server.url}/1.pdf`]);
  await work.followFiles('kyoto');
  await end();
  expect(server.asked).toHaveLength(1);
});
