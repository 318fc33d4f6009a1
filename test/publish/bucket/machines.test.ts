import { readdirSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { jointSets } from '../../../src/core/config/joint-sets.ts';
import { toIso } from '../../../src/core/datetime.ts';
import type { ResourceSet } from '../../../src/core/resource-set.ts';
import { publicationRoot } from '../../../src/publish/published/publication.ts';
import { deleteDoomed } from '../../../src/store/objects/doomed-objects.ts';
import { type FaultProxy, startFaultProxy } from '../../house/objects/fault-proxy.ts';
import { openStore } from '../../house/objects/opened.ts';
import { type ObjectServer, startVersitygw, versitygw } from '../../house/objects/versitygw.ts';
import { LivingSource } from '../../house/publish/living-source.ts';
import { Machine } from '../../house/publish/machine.ts';
import { pathsOf, textOf } from '../../house/publish/reading.ts';
import { endFirstPass } from '../../house/publish/seed.ts';
import { readZip } from '../../house/publish/zip-reading.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'undefined',
    (error: unknown) => String((error as { code?: unknown }).code),
  );

describe.skipIf(!versitygw)('documents in an object storage', () => {
  let server: ObjectServer;
  let proxy: FaultProxy;
  let opened: ReturnType<typeof openStore>;
  beforeAll(async () => {
    server = await startVersitygw();
    proxy = await startFaultProxy(server.endpoint);
    opened = openStore(proxy.endpoint, { attempts: 2, partBytes: 5 * 1024 ** 2 });
  });
  afterAll(async () => {
    opened?.close();
    await proxy?.close();
    await server?.close();
  });

  describeOnBoth('of several machines', (connect) => {
    let source: LivingSource;
    let disk: Machine;
    let machines: Machine[];
    beforeEach(async () => {
      const { database } = connect();
      joint = undefined;
      source = await LivingSource.begin(database);
      const policy = { archives: true };
      disk = await Machine.begin(database, source.clock, policy);
      machines = [];
      for (let count = 0; count < 3; count += 1)
        machines.push((await Machine.begin(database, source.clock, policy)).use(opened.store));
    });
    afterEach(async () => {
      proxy.fault = () => undefined;
      for (const machine of [disk, ...machines]) await machine.end();
      await source.end();
    });

    let joint: ResourceSet | undefined;
    const set = () => joint ?? source.set('metadata', { dumps: ['metadata'] });
    const machine = (number: number) => machines[number] ?? disk;

    async function follow(at: Machine, resourceList: 'always' | 'never' = 'never'): Promise<void> {
      for (const { publisher } of [disk, at]) {
        await publisher.publish(set(), { resourceList });
        await publisher.publishDumps(set(), { resourceDump: resourceList === 'always' ? 'always' : 'never' });
        await publisher.publishSite([set()]);
      }
    }

    /** Every machine serves what one with a disk of its own would. */
    async function expectSame(): Promise<void> {
      const paths = await pathsOf(disk.directory, set().path);
      expect(paths.length).toBeGreaterThan(5);
      const served = ['.well-known/resourcesync', ...paths];
      const contents = ({ publication }: Machine) =>
        Promise.all(
          served.map(
            async (path) =>
              [path, await (path.endsWith('.zip') ? bytesOf : textOf)(publication, path)] as const,
          ),
        );
      const formers = ({ publication }: Machine) =>
        Promise.all(paths.map(async (path) => (await publication.former(path)).length));
      const [expected, expectedFormers] = [await contents(disk), await formers(disk)];
      for (const one of machines) {
        expect(await pathsOf(one.directory, set().path)).toEqual(paths);
        expect(await contents(one)).toEqual(expected);
        expect(await formers(one)).toEqual(expectedFormers);
      }
    }

    async function bytesOf({ find }: Machine['publication'], path: string): Promise<string> {
      const found = await find(path);
      return found ? (await buffer(found.plain.open(0, found.plain.length))).toString('base64') : 'nothing';
    }

    async function deliver(...names: readonly string[]): Promise<void> {
      for (const name of names) await source.deliver(name, { text: name.repeat(50) });
    }

    test('are the same as on one disk, whoever publishes and whatever disk is lost', async () => {
      await deliver('a', 'b', 'c');
      await follow(machine(0), 'always');
      await expectSame();
      source.clock.set('2026-11-21T12:10:00Z');
      await deliver('d');
      await follow(machine(0));
      await expectSame();
      // Another one goes on with the open list, and then the first one, which has an older state of it.
      for (const [number, minute] of [1, 0, 2, 1, 0].entries()) {
        source.clock.set(`2026-11-21T12:2${number}:00Z`);
        await deliver('a', `e${number}`);
        if (number === 3) await machine(minute).lose();
        await follow(machine(minute));
        await expectSame();
      }
      source.clock.set('2026-11-22T12:00:00Z');
      await deliver('f', 'b');
      await follow(machine(2), 'always');
      await expectSame();
      source.clock.set('2026-11-23T12:00:00Z');
      await deliver('g');
      await follow(machine(1));
      // Nothing of it is on their disks but copies, and the list that is open.
      const names = readdirSync(join(publicationRoot(machine(1).directory), ...set().path.split('/')));
      expect(names.filter((name) => !name.includes('.open.xml'))).toEqual([]);
      for (const one of machines) await one.lose();
      await expectSame();
    });

    test('of a set across sources are the same as well, and so are packages that something was taken out of', async () => {
      const { database } = connect();
      const other = await LivingSource.begin(database, source);
      await deliver('a', 'b');
      for (const name of ['a', 'c']) await other.deliver(name, { text: `${name} of the other` });
      for (const { name } of [source, other]) await endFirstPass(database, name);
      const members = {
        [source.name]: {},
        [other.name]: { mementos: { links: 'metadata', ofDeleted: false } as const },
      };
      [joint] = jointSets({ [`of-${source.name}`]: { dumps: true } }, members);
      await follow(machine(0), 'always');
      await expectSame();
      source.clock.set('2026-11-22T12:00:00Z');
      await other.deliver('c', { text: 'edited' });
      await deliver('d');
      await follow(machine(1));
      source.clock.set('2026-11-23T12:00:00Z');
      await deliver('e');
      await follow(machine(2));
      await expectSame();
      const zips = async () =>
        (await pathsOf(disk.directory, set().path)).filter((path) => path.endsWith('.zip'));
      const before = await zips();
      expect(before.length).toBeGreaterThan(1);
      for (const one of machines) await one.lose();
      source.clock.set('2026-11-24T12:00:00Z');
      await other.deliver('c', { deleted: true });
      await follow(machine(0));
      await expectSame();
      expect((await zips()).filter((path) => !before.includes(path)).length).toBeGreaterThan(1);
      for (const path of await zips()) {
        const bytes = Buffer.from(await bytesOf(machine(1).publication, path), 'base64');
        const texts = [...(await readZip(bytes)).values()].map(String);
        expect(texts.filter((text) => text.startsWith('<dc>c of') || text === '<dc>edited</dc>')).toEqual([]);
      }
    });

    test('come from the disk without being rendered anew', async () => {
      const [moving] = [disk, ...machines];
      await deliver('a', 'b');
      await follow(machine(0), 'always');
      source.clock.set('2026-11-21T12:10:00Z');
      await deliver('c');
      await follow(machine(0));
      const before = await moving?.publication.find(`${set().path}/resourcelist.xml`);
      disk = await Machine.begin(connect().database, source.clock, { archives: true });
      await cp(moving?.directory ?? '', disk.directory, { recursive: true });
      const added = moving?.use(opened.store);
      if (added) machines = [added];
      source.clock.set('2026-11-21T12:20:00Z');
      // There is nothing new: it moves all the same.
      await follow(machine(0));
      await machine(0).lose();
      await expectSame();
      const after = await machine(0).publication.find(`${set().path}/resourcelist.xml`);
      expect(after?.plain.etag).toBe(before?.plain.etag);
      source.clock.set('2026-11-21T12:30:00Z');
      await deliver('d', 'a');
      await follow(machine(0));
      await expectSame();
    });

    test('are as they were whenever the object storage fails, and follow when it is back', async () => {
      await deliver('a', 'b');
      await follow(machine(0), 'always');
      await expectSame();
      let asked = 0;
      for (let allowed = 0, done = false; !done; allowed += 3) {
        source.clock.set(new Date(source.clock.now().getTime() + 60_000).toISOString());
        await deliver(`n${allowed}`);
        const before = await textOf(machine(1).publication, `${set().path}/changelist.xml`);
        asked = 0;
        proxy.fault = ({ method }) => {
          if (method !== 'PUT') return undefined;
          asked += 1;
          const kind = (['reset', 'deaf'] as const)[allowed % 2] ?? 'reset';
          return asked > allowed ? { kind } : undefined;
        };
        const failure = await machine(0)
          .publisher.publish(set(), { resourceList: 'never' })
          .then(
            () => undefined,
            (error: unknown) => error,
          );
        done = asked <= allowed;
        if (!done) {
          expect(failure).toMatchObject({ code: 'objects-unavailable' });
          expect(await textOf(machine(1).publication, `${set().path}/changelist.xml`)).toBe(before);
        }
        proxy.fault = () => undefined;
        await follow(machine(allowed % 2));
      }
      await expectSame();
    });

    test('are published once where two publish at the same time', async () => {
      await deliver('a', 'b');
      await follow(machine(0), 'always');
      for (let round = 1; round <= 5; round += 1) {
        source.clock.set(`2026-11-21T12:0${round}:00Z`);
        await deliver(`r${round}`);
        const both = await Promise.allSettled(
          machines.map(({ publisher }) => publisher.publish(set(), { resourceList: 'never' })),
        );
        expect(both.some(({ status }) => status === 'fulfilled')).toBe(true);
        for (const outcome of both)
          if (outcome.status === 'rejected')
            expect(outcome.reason).toMatchObject({ code: 'publication-busy' });
        await follow(machine(round % 3));
      }
      await expectSame();
    });

    test('that are not published any more stay for whoever is reading them, and go then', async () => {
      await deliver('a');
      await follow(machine(0), 'always');
      const reading = await machine(1).publication.find(`${set().path}/changelist.xml`);
      source.clock.set('2026-11-21T12:30:00Z');
      await deliver('b');
      await follow(machine(0));
      await deleteDoomed(connect().database, opened.store, toIso(source.clock.now()));
      if (!reading) throw new Error('it is published');
      const bytes = await buffer(reading.plain.open(0, reading.plain.length));
      expect(bytes.toString()).toContain('/items/a/');
      source.clock.set('2026-11-29T12:30:00Z');
      expect(await deleteDoomed(connect().database, opened.store, toIso(source.clock.now()))).toBeGreaterThan(
        3,
      );
      for (const one of machines) await one.lose();
      await expectSame();
    });
  });

  describeOnBoth('and their readers', (connect) => {
    afterEach(() => {
      proxy.fault = () => undefined;
    });

    test('are served from copies, or not at all, while it does not answer', async () => {
      const { database } = connect();
      const source = await LivingSource.begin(database);
      const [worker, web] = [
        (await Machine.begin(database, source.clock)).use(opened.store),
        (await Machine.begin(database, source.clock)).use(opened.store, { cacheBytes: 300_000 }),
      ];
      const set = source.set('metadata', { dumps: ['metadata'] });
      await source.deliver('a', { text: 'a'.repeat(50_000) });
      await worker.publisher.publish(set, { resourceList: 'always' });
      await worker.publisher.publishDumps(set, { resourceDump: 'always' });
      await worker.publisher.publishSite([set]);
      const list = `${set.path}/resourcelist.xml`;
      const known = await textOf(web.publication, list);
      for (const fault of [
        { kind: 'answer', status: 500 },
        { kind: 'answer', status: 403, code: 'AccessDenied' },
        { kind: 'answer', status: 403, code: 'RequestTimeTooSkewed' },
        { kind: 'answer', status: 404, code: 'NoSuchBucket' },
        { kind: 'cut', after: 10 },
      ] as const) {
        proxy.fault = () => fault;
        expect(await textOf(web.publication, list)).toBe(known);
        // Each cut is followed by a request for the rest.
        const unread = fault.kind === 'cut' ? /^(objects-.*|undefined)$/ : /^objects-/;
        expect(await codeOf(textOf(web.publication, `${set.path}/capabilitylist.xml`))).toMatch(unread);
        await source.deliver('b', { text: JSON.stringify(fault) });
        expect(await codeOf(worker.publisher.publish(set, { resourceList: 'never' }))).toMatch(unread);
      }
      proxy.fault = () => undefined;
      await worker.publisher.publish(set, { resourceList: 'never' });
      expect(await textOf(web.publication, `${set.path}/changelist.xml`)).toContain('/items/b/');
      for (const machine of [worker, web]) await machine.end();
      await source.end();
    });

    test('of packages are sent to the bucket, if that is wanted', async () => {
      const { database } = connect();
      const source = await LivingSource.begin(database);
      const worker = (await Machine.begin(database, source.clock)).use(opened.store, { redirectSeconds: 60 });
      const set = source.set('metadata', { dumps: ['metadata'] });
      await source.deliver('a');
      await worker.publisher.publish(set, { resourceList: 'always' });
      await worker.publisher.publishDumps(set, { resourceDump: 'always' });
      const paths = await pathsOf(worker.directory, set.path);
      const zip = await worker.publication.find(paths.find((path) => path.endsWith('.zip')) ?? '');
      const { redirect, plain } = zip ?? {};
      if (!plain) throw new Error('there is a package');
      expect(await worker.publication.find(`${set.path}/resourcelist.xml`)).not.toHaveProperty('redirect');
      const bytes = await buffer(plain.open(0, plain.length));
      const answer = await fetch((await redirect?.()) ?? '');
      expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
      expect((await buffer(plain.open(5, 20))).equals(bytes.subarray(5, 20))).toBe(true);
      await worker.end();
      await source.end();
    });
  });
});
