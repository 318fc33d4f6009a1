import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { createSampleRepository } from '../../../src/demo/sample-repository.ts';
import { endServed, type Served, served } from '../../house/cli/processes.ts';
import { runBeside } from '../../house/cli/run-beside.ts';
import { freePort } from '../../house/process/free-port.ts';
import { type Subscriber, startSubscriber } from '../../house/push/subscriber.ts';
import { migratedPostgres, migratedSqlite } from '../../house/store/databases.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

describe.each(['sqlite', 'pg'] as const)('subscriptions to a source that is removed, on %s', (kind) => {
  const repository = createSampleRepository({ clock: systemClock, records: 6 });
  let directory: string;
  let made: Awaited<ReturnType<typeof migratedPostgres>>;
  let subscriber: Subscriber;
  let port: number;
  let url: string;
  let serving: Served | undefined;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'rsbridge-remove-subscriptions-'));
    made = kind === 'sqlite' ? migratedSqlite() : await migratedPostgres();
    [subscriber, port, { url }] = await Promise.all([startSubscriber(), freePort(), repository.listen(0)]);
  });
  afterAll(async () => {
    await end();
    await Promise.all([subscriber.close(), repository.close()]);
    await made.drop();
    rmSync(directory, { recursive: true, force: true });
  });

  async function end(): Promise<void> {
    if (serving) await endServed(serving);
    serving = undefined;
  }
  function configure(...names: string[]): void {
    const silent = { schedule: false, fullPass: false, identifierPass: false, files: { mode: 'none' } };
    const sources = Object.fromEntries(names.map((name) => [name, { url, ...silent }]));
    const push = { hub: true, allow: ['127.0.0.1'] };
    const file = { baseUrl: `http://127.0.0.1:${port}`, listen: { port }, database: made.config };
    writeFileSync(join(directory, 'rsbridge.yaml'), stringify({ ...file, directory: 'data', push, sources }));
  }
  async function run(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await runBeside(directory, args);
    expect(code, `${args.join(' ')}: ${stderr}`).toBe(0);
    return stdout;
  }
  const patience = { timeout: 60_000, interval: 100 };

  test('end: the command names them, and who subscribed by WebSub is told', async () => {
    configure('stays', 'goes');
    await run('harvest');
    await run('publish');
    serving = await served(directory);
    const topic = `http://127.0.0.1:${port}/goes/change-notification.xml`;
    await expect.poll(async () => (await fetch(topic)).status, patience).toBe(200);
    const form = { 'hub.mode': 'subscribe', 'hub.topic': topic, 'hub.callback': `${subscriber.base}/web` };
    const asked = await fetch(`http://127.0.0.1:${port}/hub`, {
      method: 'POST',
      body: new URLSearchParams(form),
    });
    expect(asked.status).toBe(202);
    const hook = `${subscriber.base}/hook`;
    await run('subscriptions', 'add', hook, '--set', 'goes/metadata', '--label', 'search');
    await run('subscriptions', 'add', hook, '--set', 'stays');
    await expect.poll(() => run('subscriptions', 'list'), patience).toContain('websub');
    await end();

    configure('stays');
    expect(await run('remove', 'goes', '--dry-run')).toContain('1 subscription by WebSub');
    expect((await run('subscriptions', 'list')).trim().split('\n')).toHaveLength(3);
    const removed = await run('remove', 'goes');
    expect(removed).toContain('1 subscription by WebSub: rsbridge serve tells the callbacks that it is over');
    expect(removed).toContain(
      `${hook} (search) is not told of goes/metadata/change-notification.xml any more`,
    );
    const left = await run('subscriptions', 'list');
    expect(left.trim().split('\n')).toHaveLength(1);
    expect(left).toContain('stays/change-notification.xml');

    serving = await served(directory);
    await expect.poll(() => subscriber.questions('denied').length, patience).toBe(1);
    const [denied] = subscriber.questions('denied');
    expect(denied?.url).toMatch(/^\/web\?/);
    expect(denied?.query.get('hub.topic')).toBe(topic);
    expect(denied?.query.get('hub.reason')).toBe('its source was removed');
    expect(JSON.parse(await run('remove', 'goes', '--at-once', '--json'))).toMatchObject({
      subscriptions: [],
    });
  });
});
