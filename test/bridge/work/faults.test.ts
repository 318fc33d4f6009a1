import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Installation, type Served } from '../../house/faults/installation.ts';
import { openRepositories, type Repositories } from '../../house/faults/repositories.ts';
import { migratedPostgres } from '../../house/store/databases.ts';

const names = ['kyoto', 'nara', 'osaka'];

/** After each fault the published lists come to what there is, without anybody's help, and their journals are whole. */
describe.skipIf(process.platform === 'win32')('two that work, and one that answers', () => {
  let made: Awaited<ReturnType<typeof migratedPostgres>>;
  let repositories: Repositories;
  let house: Installation;
  let workers: Served[];
  let web: Served;

  beforeAll(async () => {
    made = await migratedPostgres();
    repositories = await openRepositories(names, 450);
    house = new Installation(repositories, made.config.client === 'pg' ? made.config.url : '');
    // Ten minutes apart from each other, and all from the database.
    workers = await Promise.all([
      house.serve({ role: 'work', aheadMs: -300_000 }),
      house.serve({ role: 'work', aheadMs: 300_000 }),
    ]);
    web = await house.serve({ role: 'web' });
    await house.untilLevel();
  });
  afterAll(async () => {
    await house.close();
    await repositories.close();
    await made.drop();
  });

  /** @returns the worker that asks first, once some pages are on their way */
  async function inTheMiddle(): Promise<Served> {
    repositories.edit();
    let strike: () => void = () => undefined;
    const struck = new Promise<void>((resolve) => {
      strike = resolve;
    });
    repositories.onList = async () => strike();
    await house.ask('full');
    await struck;
    repositories.onList = () => undefined;
    const rows: { holder: string }[] = await house.database
      .reader('due')
      .whereNotNull('holder')
      .whereNot({ source: '' })
      .select('holder');
    const pid = Number(rows[0]?.holder.split('/')[1]);
    return workers.find(({ child }) => child.pid === pid) ?? (workers[0] as Served);
  }

  const lives = async ({ url }: Served) => (await fetch(`${url}/livez`)).status;
  const ready = async ({ url }: Served) => (await fetch(`${url}/readyz`)).status;

  test('with clocks ten minutes apart read each source once at a time', async () => {
    for (let round = 0; round < 3; round += 1) {
      repositories.edit();
      await house.ask();
      await house.untilLevel();
    }
    expect(repositories.mostAtOnce).toBe(1);
  });

  test('one is killed in the middle', async () => {
    const victim = await inTheMiddle();
    victim.child.kill('SIGKILL');
    await house.untilLevel();
    workers = workers.filter((one) => one !== victim);
    workers.push(await house.serve({ role: 'work' }));
  });

  test('one stands still for longer than its lease, and goes on', async () => {
    const victim = await inTheMiddle();
    victim.child.kill('SIGSTOP');
    try {
      await house.untilLevel();
      repositories.edit();
      await house.ask();
      await house.untilLevel();
    } finally {
      victim.child.kill('SIGCONT');
    }
    await expect.poll(() => lives(victim)).toBe(200);
    await house.untilLevel();
  });

  test('one is cut off from the database, which hears nothing of it, and is let in again', async () => {
    const victim = await inTheMiddle();
    victim.proxy.silence();
    await house.untilLevel();
    expect(await lives(victim)).toBe(200);
    expect(await ready(victim)).toBe(503);
    repositories.edit();
    await house.ask();
    await house.untilLevel();
    victim.proxy.heal();
    await expect.poll(() => ready(victim)).toBe(200);
    await house.untilLevel();
  });

  test('all are cut off: who answers says so at once, and all go on afterwards', async () => {
    const document = `${web.url}/kyoto/resourcelist.xml`;
    const resource = `${web.url}/${[...repositories.truth('kyoto').keys()][0]}`;
    expect((await fetch(resource)).status).toBe(200);
    await inTheMiddle();
    for (const { proxy } of house.running) proxy.cut();
    await expect.poll(() => ready(web)).toBe(503);
    expect(await lives(web)).toBe(200);
    const answer = await fetch(resource);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    expect((await fetch(document)).status).toBe(200);
    for (const { proxy } of house.running) proxy.heal();
    await house.untilLevel();
    await expect.poll(() => ready(web)).toBe(200);
    expect((await fetch(resource)).status).not.toBe(503);
  });

  test('in all of it no repository was asked for two lists at once', () => {
    // Whoever was stopped or killed may have left a request behind.
    expect(repositories.mostAtOnce).toBeLessThanOrEqual(2);
  });
});
