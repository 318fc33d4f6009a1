import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resourceSets } from '../../../src/core/resource-set.ts';
import { type OpenedStore, openStore } from '../../house/objects/opened.ts';
import { type ObjectServer, startVersitygw, versitygw } from '../../house/objects/versitygw.ts';
import { scriptOf } from '../../house/process/script.ts';
import { Machine } from '../../house/publish/machine.ts';
import { entriesOf, pathsOf, textOf } from '../../house/publish/reading.ts';
import { seedSource } from '../../house/publish/seed.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

describe.skipIf(!versitygw)('a publisher into an object storage', () => {
  let server: ObjectServer;
  let opened: OpenedStore;
  beforeAll(async () => {
    server = await startVersitygw();
    opened = openStore(server.endpoint);
  });
  afterAll(async () => {
    opened?.close();
    await server?.close();
  });

  describeOnBoth('that is killed', (connect) => {
    test('leaves what two others with empty disks serve, and one of them goes on', async () => {
      const { database, config } = connect();
      const clock = { now: () => new Date(), sleep: () => Promise.resolve() };
      await seedSource(database, 'kyushu');
      const script = scriptOf(join(import.meta.dirname, '../../house/publish/endless-bucket-publisher.ts'));
      const webs = [await Machine.begin(database, clock), await Machine.begin(database, clock)];
      for (const web of webs) web.use(opened.store);
      const worker = await Machine.begin(database, clock);
      const [set] = resourceSets('kyushu');
      if (!set) throw new Error('a source has sets');
      for (const wait of [0, 61, 133]) {
        const about = JSON.stringify({ config, directory: worker.directory, endpoint: server.endpoint });
        const child = spawn(process.execPath, [script, about], { stdio: ['ignore', 'pipe', 'inherit'] });
        await once(child.stdout, 'data');
        // Somewhere in the middle of it.
        await sleep(wait);
        child.kill('SIGKILL');
        await once(child, 'exit');
        for (const { directory, publication } of webs)
          for (const path of await pathsOf(directory, 'kyushu'))
            await expect.poll(() => textOf(publication, path)).toMatch(/<\/\w+>\n$/);
        const [heir] = webs;
        await heir?.publisher.publish(set, { resourceList: 'never' });
        const [count] = await database.reader('change').count('* as changes');
        for (const { directory, publication } of webs) {
          const lists = (await pathsOf(directory, 'kyushu')).filter((path) => path.includes('/changelist/'));
          const told = (await Promise.all(lists.map((path) => textOf(publication, path)))).flatMap(entriesOf);
          expect(new Set(told).size).toBe(Number(count?.changes));
          expect(told).toHaveLength(Number(count?.changes));
        }
      }
      for (const machine of [...webs, worker]) await machine.end();
    });
  });
});
