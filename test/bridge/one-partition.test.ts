import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openBridge } from '../../src/bridge/bridge.ts';
import { createLog } from '../../src/bridge/log.ts';
import { startService } from '../../src/bridge/service.ts';
import { removeBytes } from '../../src/bridge/work/retention.ts';
import { parseConfig } from '../../src/core/config/config.ts';
import { openDatabase } from '../../src/store/engine/database.ts';
import { runMain } from '../house/cli/run-main.ts';
import { HostileProvider } from '../house/hostile/provider/provider.ts';
import { Repository } from '../house/hostile/repository.ts';
import { createVirtualClock } from '../house/hostile/virtual-clock.ts';
import { hearStatements, scattered } from '../house/postgres/asked.ts';
import { freePort } from '../house/process/free-port.ts';
import { visitAll } from '../house/server/visitor.ts';
import { migratedPostgres } from '../house/store/databases.ts';

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const newestOfAll = 'the newest items of all sources, found by whatever words';

/** These look into the partitions of all sources on purpose. */
const ofAllSources: readonly (readonly [RegExp, string])[] = [
  [/from "source" where "source"\."id" > /, 'how every source is doing, a hundred of them at a time'],
  [/"source_id" = any\(.* group by /s, 'the same, counted'],
  [/ from "description" order by "description"\."place" desc/, newestOfAll],
  // Where the index is filled late, a page of them has items of both sources, or is not the first.
  [/ from "description" where description\.place < .* order by "description"\."place" desc/, newestOfAll],
  [/ from "(item|resource)" where "\1"\."source_id" = any\(\$1\) and "id" = any\(\$2\)/, newestOfAll],
  [/ as wanted where exists /, 'payloads are shared by all sources: who still refers to those that may go'],
];

/** Each of them was asked for, and answered. */
const kindsOfRequests = [
  /^200 .*\/items\/[^/]*$/,
  /^200 .*\/oai_dc\.xml$/,
  /^200 .*\/kyoto\/.*\/files\/1-article\.pdf$/,
  /^200 .*\/linkset\.json$/,
  /^200 .*\/kyoto\/collections\//,
  /^200 .*\/kyoto\/patches\//,
  /^302 .*\/timegate\//,
  /^200 .*\/timemap\/link\//,
  /^200 .*\/memento\//,
  /^200 .*\/search$/,
  /^200 .*\/search\?source=kyoto$/,
  /^200 .*\/kyoto\/changelist\.xml$/,
  /^200 .*\/kyoto\/resourcelist\.xml$/,
];

/** A repository of an hour ago: each edit is of another second, and none of the future. */
async function repository() {
  const clock = createVirtualClock(new Date(Date.now() - 3_600_000).toISOString());
  const held = new Repository(clock.iso);
  const file = (name: string) => ({ name, mediaType: 'application/pdf', content: `%PDF ${name}` });
  held.fill(8);
  held.fill(8, { files: [file('article.pdf'), file('data.csv')] });
  const provider = new HostileProvider({
    ...{ repository: held, clock, formats: ['oai_dc', 'xoai'], pageSize: 10 },
  });
  await provider.listen();
  cleanups.push(() => provider.close());
  return { held, provider, clock };
}

test('work and requests concern the partitions of one source alone', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-partitions-'));
  const exported = mkdtempSync(join(tmpdir(), 'rsbridge-partitions-'));
  for (const made of [directory, exported])
    cleanups.push(() => rmSync(made, { recursive: true, force: true }));
  const { config: database, drop } = await migratedPostgres();
  cleanups.push(drop);
  const [mirrored, linked] = [await repository(), await repository()];
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const source = {
    patches: true,
    formats: ['oai_dc', 'xoai'],
    mementos: { keep: { last: 2 }, links: 'all' },
  };
  const settings = {
    baseUrl: origin,
    directory,
    database,
    logLevel: 'error',
    listen: { port },
    sources: {
      kyoto: {
        ...source,
        url: mirrored.provider.url,
        files: { from: 'xoai', mode: 'mirror' },
        sets: { theses: { collections: ['even'] } },
      },
      osaka: { ...source, url: linked.provider.url, files: { from: 'xoai', mode: 'link' } },
    },
  };
  const file = join(directory, 'rsbridge.yaml');
  writeFileSync(file, JSON.stringify(settings));
  const run = async (...args: string[]) => {
    const outcome = await runMain(directory, [...args, '--config', file]);
    expect(outcome, args.join(' ')).toMatchObject({ code: 0 });
  };

  const heard = hearStatements();
  cleanups.push(heard.stop);
  await run('harvest');
  await run('publish');
  for (const { held, clock } of [mirrored, linked]) {
    for (let round = 0; round < 3; round += 1) {
      clock.advance(60);
      held.edit('oai:hostile.example.org:2', { title: `edited ${round}` });
      held.edit('oai:hostile.example.org:10', { title: `edited ${round}` });
    }
    held.remove('oai:hostile.example.org:3');
    held.remove('oai:hostile.example.org:11');
  }
  await run('harvest');
  for (const { held, clock } of [mirrored, linked]) {
    clock.advance(60);
    held.edit('oai:hostile.example.org:2', { title: 'edited once more' });
    held.edit('oai:hostile.example.org:10', { title: 'edited once more' });
    held.vanish('oai:hostile.example.org:14');
  }
  await run('harvest', '--full');
  await run('publish');

  const bridge = await openBridge(parseConfig(settings), createLog('error', process.stderr), 'migrate');
  const never = new AbortController().signal;
  const service = await startService(bridge, { host: '127.0.0.1', port }, { stop: never, abort: never });
  const visited = await visitAll(origin);
  await removeBytes(bridge, never);
  await service.close();
  for (const kind of kindsOfRequests) expect(visited).toContainEqual(expect.stringMatching(kind));
  await bridge.close();

  for (const command of ['status', 'check', 'problems', 'vanished kyoto']) await run(...command.split(' '));
  const item = `${origin}/kyoto/items/oai:hostile.example.org:10`;
  await run('history', `${item}/oai_dc.xml`);
  await run('withdraw', item, '--reason', 'asked');
  await run('publish');
  await run('restore', item);
  await run('harvest');
  await run('export', join(exported, 'all'));
  const { kyoto } = settings.sources;
  writeFileSync(file, JSON.stringify({ ...settings, sources: { kyoto } }));
  await run('remove', 'osaka', '--at-once');
  heard.stop();

  const opened = openDatabase(database);
  cleanups.push(() => opened.close());
  const scatter: string[] = [];
  const unneeded = new Set(ofAllSources.map(([, why]) => why));
  for (const one of heard.statements.values()) {
    const tables = await scattered(opened, one);
    if (tables.length === 0) continue;
    const [, why] = ofAllSources.find(([pattern]) => pattern.test(one.sql)) ?? [];
    if (why === undefined) scatter.push(`${tables.join(' ')}: ${one.sql}`);
    else unneeded.delete(why);
  }
  expect(scatter).toEqual([]);
  expect([...unneeded]).toEqual([]);
  expect(heard.statements.size).toBeGreaterThan(200);
});
