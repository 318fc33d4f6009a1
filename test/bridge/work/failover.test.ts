import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readJournals } from '../../../src/store/sources/journal.ts';
import { Installation, type Served } from '../../house/faults/installation.ts';
import { openRepositories, type Repositories } from '../../house/faults/repositories.ts';
import { type PostgresPair, startPostgresPair } from '../../house/postgres/pair.ts';

/** A commit is one when the replica has it, too: who wants to lose nothing has it so. */
const synchronous = { synchronous_standby_names: '*', synchronous_commit: 'on' };

describe.skipIf(process.platform === 'win32')(
  'a PostgreSQL with a replica, under those who work and answer',
  () => {
    let pair: PostgresPair;
    let repositories: Repositories;
    let house: Installation;
    let web: Served;

    beforeAll(async () => {
      pair = await startPostgresPair(synchronous);
      repositories = await openRepositories(['kyoto', 'nara'], 450);
      house = new Installation(repositories, pair.url);
      await house.serve({ role: 'work' });
      await house.serve({ role: 'work' });
      web = await house.serve({ role: 'web' });
      await house.untilLevel();
    });
    afterAll(async () => {
      await house.close();
      await repositories.close();
      await pair.stop();
    });

    /** Resolves when lists are being read. */
    async function inTheMiddle(): Promise<void> {
      repositories.edit();
      const struck = new Promise<void>((resolve) => {
        repositories.onList = async () => resolve();
      });
      await house.ask('full');
      await struck;
      repositories.onList = () => undefined;
    }

    const ready = async () => (await fetch(`${web.url}/readyz`)).status;

    test('that is restarted in the middle: all go on by themselves', async () => {
      await inTheMiddle();
      await pair.endPrimary('SIGQUIT');
      await expect.poll(ready).toBe(503);
      const { status, headers } = await fetch(`${web.url}/${[...repositories.truth('kyoto').keys()][0]}`);
      expect([status, headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
      await pair.startPrimary();
      await house.untilLevel();
      expect(await ready()).toBe(200);
      for (const { said } of house.running) expect(said()).not.toContain('"internal"');
    });

    test('that is gone in the middle, and its replica takes its place: nothing that was committed is lost', async () => {
      await inTheMiddle();
      await pair.endPrimary('SIGKILL');
      await pair.promote();
      await house.moveTo(pair.replicaUrl);
      await house.untilLevel();
      repositories.edit();
      await house.ask();
      await house.untilLevel();
      expect(await ready()).toBe(200);
      for (const { child } of house.running) expect(child.exitCode).toBe(null);
    });
  },
);

describe.skipIf(process.platform === 'win32')(
  'a replica that lacks what its primary had not sent yet',
  () => {
    let pair: PostgresPair;
    let repositories: Repositories;
    let house: Installation;

    beforeAll(async () => {
      pair = await startPostgresPair();
      repositories = await openRepositories(['kyoto', 'nara'], 60);
      house = new Installation(repositories, pair.url);
      const config = { sets: { all: {} } };
      await house.serve({ role: 'work', config });
      await house.serve({ role: 'work', config });
      await house.serve({ role: 'web', config });
      await house.untilLevel();
    });
    afterAll(async () => {
      await house.close();
      await repositories.close();
      await pair.stop();
    });

    test('takes its place: that changes are lost is noticed, and what is published is what there is', async () => {
      const names = ['kyoto', 'nara', 'sets/all'];
      await pair.caughtUp();
      await pair.killReplica();
      for (let edits = 0; edits < 6; edits += 1) repositories.edit();
      await house.ask();
      await house.untilLevel();
      const before = await readJournals(house.database.reader);
      await pair.endPrimary('SIGKILL');
      await pair.startReplica();
      await pair.promote();
      await house.moveTo(pair.replicaUrl);
      // As many as were lost, and more: a journal that has gone back is not shorter for long.
      for (let edits = 0; edits < 9; edits += 1) repositories.edit();
      await house.ask();
      await house.untilLevel();
      await expect
        .poll(
          () =>
            house.running.filter(({ said }) =>
              /has lost changes|is older than what is published/.test(said()),
            ).length,
          {
            timeout: 30_000,
          },
        )
        .toBe(1);
      const after = await readJournals(house.database.reader);
      const same = names.filter((name) => after.get(name)?.id === before.get(name)?.id);
      // A source of which nothing was lost is not rendered anew.
      expect(same).not.toContain('sets/all');
      expect(same.length).toBeLessThan(2);
      await house.untilLevel();
      expect(house.running.map(({ child }) => child.exitCode)).toEqual([null, null, null]);
    });
  },
);
