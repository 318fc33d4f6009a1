import { createConnection } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Installation, type Served } from '../../house/faults/installation.ts';
import { openRepositories, type Repositories } from '../../house/faults/repositories.ts';
import { migratedPostgres } from '../../house/store/databases.ts';

describe.skipIf(process.platform === 'win32')('processes with a role each', () => {
  let made: Awaited<ReturnType<typeof migratedPostgres>>;
  let repositories: Repositories;
  let house: Installation;
  let web: Served;

  beforeAll(async () => {
    made = await migratedPostgres();
    repositories = await openRepositories(['kyoto', 'nara', 'osaka'], 300);
    house = new Installation(repositories, made.config.client === 'pg' ? made.config.url : '');
  });
  afterAll(async () => {
    await house.close();
    await repositories.close();
    await made.drop();
  });

  const listens = ({ url }: Served) =>
    new Promise<boolean>((resolve) => {
      const socket = createConnection({ host: '127.0.0.1', port: Number(new URL(url).port) });
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
  const statusOf = async (url: string) => (await fetch(url)).status;

  test('who only answers harvests nothing, whatever is due', async () => {
    web = await house.serve({ role: 'web' });
    await house.ask();
    // A process that works looks at what is due three times meanwhile.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(repositories.asked).toBe(0);
    expect(await house.database.reader('due').whereNotNull('holder')).toEqual([]);
    expect(await statusOf(`${web.url}/livez`)).toBe(200);
    expect(await statusOf(`${web.url}/kyoto/resourcelist.xml`)).toBe(404);
  });

  test('those who only work answer monitors at most; what they publish is served by another', async () => {
    const quiet = await house.serve({ role: 'work', config: { listen: { port: 1, health: false } } });
    const told = await house.serve({ role: 'work' });
    await house.untilLevel();
    expect(await listens(quiet)).toBe(false);
    expect(await statusOf(`${told.url}/livez`)).toBe(200);
    expect(await statusOf(`${told.url}/metrics`)).toBe(200);
    expect(await statusOf(`${told.url}/kyoto/resourcelist.xml`)).toBe(404);
    expect(await statusOf(`${told.url}/`)).toBe(404);
    expect(await statusOf(`${web.url}/kyoto/resourcelist.xml`)).toBe(200);
  });

  test('two that work read no source at once, however often it is asked for', async () => {
    repositories.onList = () => new Promise((resolve) => setTimeout(resolve, 100));
    for (let round = 0; round < 5; round += 1) {
      repositories.edit();
      await house.ask(round % 2 === 0 ? 'harvest' : 'full');
      await new Promise((resolve) => setTimeout(resolve, 400));
    }
    await house.ask();
    await house.untilLevel();
    repositories.onList = () => undefined;
    expect(repositories.mostAtOnce).toBe(1);
  });

  test('a source that is paused beside them is read by none; when it goes on, at once', async () => {
    expect((await house.run('sources', 'pause', 'kyoto', '--why', 'they move')).code).toBe(0);
    const seen = async () => (await house.run('sources', 'list', '--json')).stdout.includes('"paused":true');
    expect(await seen()).toBe(true);
    repositories.edit();
    await house.ask();
    await expect.poll(() => house.isRead('nara')).toBe(true);
    expect(await house.isRead('kyoto')).toBe(false);
    expect((await house.run('sources', 'resume', 'kyoto')).code).toBe(0);
    await house.untilLevel();
  });
  test.each([['sources', 'resume'], ['harvest', '--by-serve'], ['harvest']])(
    'one that fails says so, and is read at once when somebody asks: %s %s',
    async (...command) => {
      repositories.down.add('osaka');
      repositories.edit();
      await house.ask();
      const told = async () => JSON.parse((await house.run('sources', 'show', 'osaka', '--json')).stdout);
      const failed = {
        kind: 'harvest',
        attempts: 1,
        reason: expect.stringContaining('500'),
        underWay: false,
      };
      await expect
        .poll(async () => (await told()).due)
        .toContainEqual({ ...failed, dueAt: expect.any(String) });
      const { stdout } = await house.run('sources', 'show', 'osaka');
      expect(stdout).toMatch(/# harvest: failed once \(.*500.*\); next at 20\d\d-01-01T/);
      repositories.down.delete('osaka');
      expect(await house.run(...command, 'osaka')).toMatchObject({ code: 0 });
      await house.untilLevel();
      await expect
        .poll(async () => (await told()).due.map(({ attempts }: { attempts: number }) => attempts))
        .toEqual(expect.not.arrayContaining([1]));
    },
  );
});
