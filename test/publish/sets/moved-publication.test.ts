import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { publicationRoot } from '../../../src/publish/published/publication.ts';
import { comparePublication, movePublication } from '../../../src/publish/sets/moved-publication.ts';
import { removePublished } from '../../../src/publish/sets/removed-publication.ts';
import { deleteDoomed } from '../../../src/store/objects/doomed-objects.ts';
import { listTroubles } from '../../../src/store/objects/publication-troubles.ts';
import { type FaultProxy, startFaultProxy } from '../../house/objects/fault-proxy.ts';
import { type OpenedStore, openStore } from '../../house/objects/opened.ts';
import { type ObjectServer, startVersitygw, versitygw } from '../../house/objects/versitygw.ts';
import { LivingSource } from '../../house/publish/living-source.ts';
import { Machine } from '../../house/publish/machine.ts';
import { pathsOf } from '../../house/publish/reading.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

describe.skipIf(!versitygw)('a publication', () => {
  let server: ObjectServer;
  let proxy: FaultProxy;
  let opened: OpenedStore;
  beforeAll(async () => {
    server = await startVersitygw();
    proxy = await startFaultProxy(server.endpoint);
    opened = openStore(proxy.endpoint, { attempts: 2 });
  });
  afterAll(async () => {
    opened?.close();
    await proxy?.close();
    await server?.close();
  });

  describeOnBoth('is moved', (connect) => {
    test('to the bucket and back, with the same bytes, and goes on from there', async () => {
      const { database } = connect();
      const source = await LivingSource.begin(database);
      const { clock } = source;
      const machine = await Machine.begin(database, clock);
      const set = source.set('metadata', { dumps: ['metadata'] });
      const place = join(publicationRoot(machine.directory), ...set.path.split('/'));
      const publish = async (name: string, minute: number) => {
        clock.set(`2026-11-21T12:${minute}:00Z`);
        await source.deliver(name);
        await machine.publisher.publish(set, { resourceList: 'if-missing' });
        await machine.publisher.publishDumps(set, { resourceDump: 'if-missing' });
        await machine.publisher.publishSite([set]);
      };
      const all = async () => {
        const paths = ['.well-known/resourcesync', ...(await pathsOf(machine.directory, set.path))];
        const bytes: Record<string, string> = {};
        for (const path of paths) {
          const found = await machine.publication.find(path);
          if (!found) throw new Error(`${path} is published`);
          bytes[path] = (await buffer(found.plain.open(0, found.plain.length))).toString('latin1');
        }
        return bytes;
      };
      const move = () => movePublication(machine.directory, { clock });
      const compare = () => comparePublication(machine.directory);
      await publish('a', 10);
      await publish('b', 11);
      const before = await all();
      machine.use(opened.store);
      expect((await compare()).toMove).toBeGreaterThan(5);
      expect(await move()).toBeGreaterThan(5);
      expect(await all()).toEqual(before);
      expect(await compare()).toMatchObject({ missing: 0, toMove: 0 });
      expect(await move()).toBe(0);
      await publish('c', 12);
      const inBucket = await all();
      // Only the packages go back, and then the rest.
      machine.use(opened.store, { packages: false });
      expect(await move()).toBeGreaterThan(0);
      expect(readdirSync(place).some((name) => name.endsWith('.zip'))).toBe(true);
      expect(await all()).toEqual(inBucket);
      machine.use(opened.store, { packages: false, documents: false });
      expect(await move()).toBeGreaterThan(5);
      clock.set('2026-12-01T00:00:00Z');
      await deleteDoomed(database, opened.store, '2026-12-01T00:00:00Z');
      const left: string[] = [];
      for await (const { key } of opened.store.list('')) if (key.includes(source.name)) left.push(key);
      expect(left).toEqual([]);
      expect(await all()).toEqual(inBucket);
      clock.set('2026-11-21T12:12:30Z');
      await publish('d', 13);
      expect((await all())[`${set.path}/changelist.xml`]).toContain('/items/d/');
      await machine.end();
      await source.end();
    });

    test('that cannot be stored is told of until it can, a lost object is found and replaced, and all goes with its source', async () => {
      const { database } = connect();
      const source = await LivingSource.begin(database);
      const machine = (await Machine.begin(database, source.clock)).use(opened.store);
      const set = source.set('metadata');
      await source.deliver('a');
      proxy.fault = () => ({ kind: 'answer', status: 403, code: 'AccessDenied' });
      const refused = machine.publisher.publish(set, { resourceList: 'always' });
      await expect(refused).rejects.toMatchObject({ code: 'objects-refused' });
      expect(await listTroubles(database.reader)).toMatchObject([
        { path: set.path, code: 'objects-refused', at: '2026-11-21T12:00:00Z' },
      ]);
      proxy.fault = () => undefined;
      await machine.publisher.publish(set, { resourceList: 'always' });
      expect(await listTroubles(database.reader)).toEqual([]);
      for await (const { key } of opened.store.list(`documents/${set.path.replace('/', '~')}/`))
        if (key.includes('resourcelist')) await opened.store.delete(key);
      expect((await comparePublication(machine.directory)).missing).toBeGreaterThan(0);
      const other = (await Machine.begin(database, source.clock)).use(opened.store);
      await other.publisher.publish(set, { resourceList: 'if-missing' });
      expect((await comparePublication(machine.directory)).missing).toBe(0);
      await removePublished(machine.directory, source.name);
      await deleteDoomed(database, opened.store, '2026-11-21T12:00:00Z');
      const left: string[] = [];
      for await (const { key } of opened.store.list('')) if (key.includes(source.name)) left.push(key);
      expect(left).toEqual([]);
      expect(await other.publication.find(`${set.path}/resourcelist.xml`)).toBeUndefined();
      for (const one of [machine, other]) await one.end();
      await source.end();
    });
  });
});
