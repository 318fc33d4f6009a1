import { createHash } from 'node:crypto';
import { readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { request } from 'undici';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SourceFile } from '../../../src/core/adapter.ts';
import { jointSets } from '../../../src/core/config/joint-sets.ts';
import type { ResourceSet, SetChoices } from '../../../src/core/resource-set.ts';
import { readPublicationSnapshot } from '../../../src/export/site/publication-snapshot.ts';
import { judgePackage } from '../../../src/publish/published/withheld-packages.ts';
import { endWithdrawals, withdraw } from '../../../src/store/removal/withdrawals.ts';
import { LivingSource } from '../../house/publish/living-source.ts';
import { baseUrl, endFirstPass } from '../../house/publish/seed.ts';
import { readZip } from '../../house/publish/zip-reading.ts';
import { type House, openHouse } from '../../house/server/fixture.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

/** What is public no more, and the packages that hold its bytes. */
describeOnBoth('packages of what is withheld', (open) => {
  let living: LivingSource;
  let house: House;
  let ofDeleted = true;
  let joint: readonly ResourceSet[];

  beforeEach(async () => {
    ofDeleted = true;
    const { database } = open();
    living = await LivingSource.begin(database);
    living.fileMode = 'mirror';
    const { publication, clock, directory } = living;
    // What is no source is one that has left the configuration.
    const mementosOf = (source: string) =>
      ({ links: 'metadata', ofDeleted: ofDeleted && source === living.name, keep: 'all' }) as never;
    joint = jointSets({ all: { dumps: true } }, { [living.name]: choices() });
    const settings = { publication, baseUrl, database, clock, directory, mementosOf };
    house = await openHouse({ ...settings, jointSets: () => joint });
  });
  afterEach(async () => {
    await house.close();
    await living.end();
  });

  const file = (name: string): SourceFile => ({ url: `http://127.0.0.1:1/${name}`, name, sequence: 1 });
  const choices = (): SetChoices => ({
    dumps: ['all', 'metadata'],
    files: { mode: 'mirror' },
    mementos: { links: 'metadata', ofDeleted },
  });
  const set = (): ResourceSet => living.set('all', choices());

  async function deposit(identifier: string, secret: string): Promise<void> {
    await living.deliver(identifier, { text: identifier, files: [file(`${secret}.pdf`)] });
    await living.mirror(`http://127.0.0.1:1/${secret}.pdf`, Buffer.from(`%PDF of ${secret}`));
  }

  async function publishAll(archives = false): Promise<void> {
    const publisher = living.publisher({ archives });
    await publisher.publish(set(), { resourceList: 'always', close: true });
    await publisher.publishDumps(set(), { resourceDump: 'always' });
    await publisher.publishSite([set()]);
  }

  async function follow(archives = false): Promise<void> {
    await living.publisher({ archives }).publish(set(), { resourceList: 'if-missing' });
  }

  async function get(path: string, headers: Record<string, string> = {}) {
    const response = await request(`${await house.origin()}/${path}`, { headers });
    const body = Buffer.from(await response.body.arrayBuffer());
    return { status: response.statusCode, body, text: body.toString(), headers: response.headers };
  }

  const locsOf = async (path: string) =>
    [...(await get(path)).text.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, loc = '']) =>
      loc.slice(baseUrl.length + 1),
    );
  const manifestOf = (path: string) => path.replace(/\.zip$/, '-manifest.xml');
  const statusesOf = async (paths: readonly string[]) =>
    Promise.all(
      paths.flatMap((path) => [path, manifestOf(path)]).map(async (path) => (await get(path)).status),
    );

  async function packages() {
    const { path } = set();
    return {
      dump: await locsOf(`${path}/resourcedump.xml`),
      changes: await locsOf(`${path}/changedump.xml`),
    };
  }

  async function stock(archives = false) {
    living.clock.set('2026-12-01T10:00:00Z');
    await deposit('open', 'openfile');
    await deposit('closed', 'secretfile');
    living.clock.set('2026-12-01T11:00:00Z');
    await publishAll(archives);
    living.clock.set('2026-12-02T10:00:00Z');
    await living.deliver('open', { text: 'edited', files: [file('openfile.pdf')] });
    await publishAll(archives);
    const found = await packages();
    expect(found.dump).toHaveLength(1);
    expect(found.changes).toHaveLength(2);
    expect(await statusesOf([...found.dump, ...found.changes])).not.toContain(410);
    living.clock.set('2026-12-03T10:00:00Z');
    return found;
  }

  /** The repository does not name the file any more. */
  const restrict = () => living.deliver('closed', { text: 'closed' });

  it('are refused at once, before anybody has published anything, and with every condition', async () => {
    const { dump, changes } = await stock();
    const [zip = ''] = dump;
    const { headers } = await get(zip);
    await restrict();
    expect(await statusesOf([zip, changes[0] ?? ''])).toEqual([410, 410, 410, 410]);
    // What holds nothing of it stays.
    expect(await statusesOf([changes[1] ?? ''])).toEqual([200, 200]);
    expect((await get(zip, { 'if-none-match': String(headers.etag) })).status).toBe(410);
    expect((await get(zip, { range: 'bytes=0-10' })).status).toBe(410);
    // The dump before it, whose packages nobody lists any more but many know.
    expect((await get(`${set().path}/resourcedump/20261201T110000Z/0001.zip`)).status).toBe(410);
  });

  it('are refused as soon as something is withdrawn, though the journal does not say so yet', async () => {
    const { dump, changes } = await stock();
    const [zip = ''] = dump;
    const target = { source: set().source, identifier: 'closed', path: undefined };
    await withdraw(open().database, target, undefined, '2026-12-03T10:00:00Z');
    expect(await statusesOf([zip, changes[0] ?? ''])).toEqual([410, 410, 410, 410]);
    expect(await statusesOf([changes[1] ?? ''])).toEqual([200, 200]);
    await endWithdrawals(open().database, [target]);
    expect(await statusesOf([zip, changes[0] ?? ''])).toEqual([200, 200, 200, 200]);
  });

  it('of a set across sources go by the rule of each source, also those that were built again', async () => {
    living.clock.set('2026-12-01T10:00:00Z');
    await deposit('open', 'openfile');
    await deposit('closed', 'secretfile');
    await endFirstPass(open().database, living.name);
    const [all] = joint;
    if (!all) throw new Error('there is no set across sources');
    const publisher = living.publisher();
    await publisher.publish(all, { resourceList: 'always' });
    await publisher.publishDumps(all, { resourceDump: 'always' });
    await publisher.publishSite([all]);
    const [before = ''] = await locsOf('all/resourcedump.xml');
    expect(await statusesOf([before])).toEqual([200, 200]);
    living.clock.set('2026-12-02T10:00:00Z');
    await restrict();
    expect(await statusesOf([before])).toEqual([410, 410]);
    await publisher.publish(all, { resourceList: 'never' });
    const [after = ''] = await locsOf('all/resourcedump.xml');
    expect(after).toBe(before.replace('0001.zip', '0001.2.zip'));
    expect(await statusesOf([before, after])).toEqual([410, 410, 200, 200]);
    expect((await get(after)).text).not.toContain('secretfile');
  });

  it('are built again without it, at addresses of their own, with a manifest that names nothing without bytes', async () => {
    const before = await stock();
    await restrict();
    await follow();
    const after = await packages();
    expect(after.dump).toEqual([before.dump[0]?.replace('0001.zip', '0001.2.zip')]);
    expect(after.changes).toEqual([before.changes[0]?.replace('.zip', '.2.zip'), before.changes[1]]);
    expect(await statusesOf([before.dump[0] ?? '', before.changes[0] ?? ''])).toEqual([410, 410, 410, 410]);
    for (const path of [after.dump[0] ?? '', after.changes[0] ?? '']) {
      const { status, body, text } = await get(path);
      expect(status).toBe(200);
      expect(text).not.toContain('secretfile');
      const members = await readZip(body);
      const manifest = members.get('manifest.xml')?.toString() ?? '';
      expect((await get(manifestOf(path))).text).toBe(manifest);
      const named = [...manifest.matchAll(/ path="\/([^"]*)"/g)].map(([, name = '']) => name);
      expect([...members.keys()].sort()).toEqual([...named, 'manifest.xml'].sort());
      expect([...members.values()].join('')).toContain('%PDF of openfile');
      expect(manifest).not.toMatch(/<loc>[^<]*secretfile/);
      for (const entry of manifest.match(/<url>.*?<\/url>/g) ?? []) expect(entry).toContain(' path="');
    }
    const { text } = await get(`${set().path}/resourcedump.xml`);
    const { body } = await get(after.dump[0] ?? '');
    expect(text).toContain(`hash="sha-256:${createHash('sha256').update(body).digest('hex')}"`);
    expect(text).toContain(`length="${body.length}"`);
    // The next package tells of the deletion.
    await publishAll();
    const last = (await packages()).changes.at(-1) ?? '';
    expect((await get(manifestOf(last))).text).toMatch(/secretfile\.pdf<\/loc>.*change="deleted"/);
  });

  it('a package that is written later does not take in what was withheld before', async () => {
    living.clock.set('2026-12-01T10:00:00Z');
    await deposit('open', 'openfile');
    await deposit('closed', 'secretfile');
    const publisher = living.publisher();
    await publisher.publish(set(), { resourceList: 'always', close: true });
    living.clock.set('2026-12-01T11:00:00Z');
    await restrict();
    await publisher.publish(set(), { resourceList: 'if-missing', close: true });
    await publisher.publishDumps(set(), { resourceDump: 'always' });
    await publisher.publishSite([set()]);
    const { dump, changes } = await packages();
    expect(await statusesOf([...dump, ...changes])).not.toContain(410);
    for (const path of [...dump, ...changes]) {
      expect([...(await readZip((await get(path)).body)).values()].join('')).not.toContain(
        '%PDF of secretfile',
      );
    }
    expect((await get(manifestOf(changes[0] ?? ''))).text).not.toMatch(/<loc>[^<]*secretfile/);
    expect((await get(manifestOf(changes[1] ?? ''))).text).toMatch(
      /secretfile\.pdf<\/loc>.*change="deleted"/,
    );
  });

  it('metadata goes where the past of what is deleted is not handed out, also where that is said later', async () => {
    const before = await stock();
    await living.deliver('closed', { deleted: true });
    await follow();
    const between = await packages();
    expect((await get(between.dump[0] ?? '')).text).toContain('closed');
    ofDeleted = false;
    expect((await get(between.dump[0] ?? '')).status).toBe(410);
    await follow();
    const after = await packages();
    expect(after.dump[0]).toBe(before.dump[0]?.replace('0001.zip', '0001.3.zip'));
    for (const path of [...after.dump, ...after.changes])
      expect((await get(path)).text).not.toContain('closed');
    expect((await get(between.dump[0] ?? '')).status).toBe(410);
  });

  it('a package of which nothing is left goes, and with the last one what lists them', async () => {
    living.clock.set('2026-12-01T10:00:00Z');
    await living.deliver('record', { text: 'secret' });
    await publishAll();
    const before = await packages();
    ofDeleted = false;
    living.clock.set('2026-12-02T10:00:00Z');
    await living.deliver('record', { deleted: true });
    await follow();
    expect(await statusesOf([...before.dump, ...before.changes])).toEqual([410, 410, 410, 410]);
    expect((await get(`${set().path}/changedump.xml`)).status).not.toBe(200);
    expect((await get(`${set().path}/capabilitylist.xml`)).text).not.toContain('changedump.xml');
    const { dump } = await packages();
    expect((await get(manifestOf(dump[0] ?? ''))).text).not.toContain('<url>');
  });

  it('archives keep no bytes either', async () => {
    const before = await stock(true);
    const archived = `${set().path}/resourcedump/20261201T110000Z/0001.zip`;
    expect((await get(archived)).status).toBe(200);
    await restrict();
    expect((await get(archived)).status).toBe(410);
    await follow(true);
    for (const capability of ['resourcedump', 'changedump']) {
      for (const list of await locsOf(`${set().path}/${capability}-archive.xml`)) {
        const zips = await locsOf(list);
        expect(zips.length).toBeGreaterThan(0);
        for (const zip of zips) {
          const { status, text } = await get(zip);
          expect([list, zip, status]).toEqual([list, zip, 200]);
          expect(text).not.toContain('secretfile');
        }
      }
    }
    expect(await statusesOf([archived, ...before.dump])).toEqual([410, 410, 410, 410]);
    // They are taken in no second time.
    await publishAll(true);
    expect((await get(before.changes[0] ?? '')).status).toBe(410);
  });

  it('what cannot be built now is not listed until it is, and not served', async () => {
    const before = await stock();
    const publisher = living.publisher();
    const directory = join(living.directory, 'publication', living.name);
    const zips = (await readdir(directory)).filter((name) => name.endsWith('.zip'));
    for (const zip of zips) {
      await rename(join(directory, zip), join(living.directory, zip));
      await writeFile(join(directory, zip), 'PK');
    }
    await restrict();
    const { flatDueIn = 0 } = await publisher.publish(set(), { resourceList: 'if-missing' });
    expect(flatDueIn).toBeGreaterThan(0);
    expect(await statusesOf([...before.dump, before.changes[0] ?? ''])).toEqual([410, 410, 410, 410]);
    const isListed = async () => (await get(`${set().path}/capabilitylist.xml`)).text.includes('dump.xml');
    expect(await isListed()).toBe(false);
    expect((await get(`${set().path}/resourcedump.xml`)).status).not.toBe(200);
    // The deletion itself is told all the same.
    expect((await get(`${set().path}/changelist.xml`)).text).toMatch(
      /secretfile\.pdf<\/loc>.*change="deleted"/,
    );
    await publisher.publish(set(), { resourceList: 'if-missing' });
    expect(await isListed()).toBe(false);
    living.clock.set('2026-12-03T10:02:00Z');
    for (const zip of zips) await rename(join(living.directory, zip), join(directory, zip));
    // The next process, too, knows from the database and from what is published alone.
    await follow();
    expect(await isListed()).toBe(true);
    const after = await packages();
    expect(after.dump).toEqual([before.dump[0]?.replace('0001.zip', '0001.2.zip')]);
    expect(await statusesOf([...after.dump, ...after.changes])).not.toContain(410);
  });

  it('have nothing of an item that is not for everybody, though another one has its address by now', async () => {
    const itemAt = (number: number) =>
      `https://repo.example.org/server/api/core/items/0000000${number}-0000-4000-8000-000000000000`;
    living.clock.set('2026-12-01T10:00:00Z');
    await living.deliver('open', { text: 'for everybody' });
    await living.deliver('passed', { text: 'a secret', at: itemAt(1) });
    await publishAll(true);
    living.clock.set('2026-12-02T10:00:00Z');
    await living.deliver('passed', { text: 'another secret', at: itemAt(1) });
    await publishAll(true);
    const before = await packages();
    const all = [...before.dump, ...before.changes];
    // Nobody publishes between the two.
    living.clock.set('2026-12-03T10:00:00Z');
    await living.deliver('passed', { refused: true });
    await living.deliver('passed', { text: 'somebody else', at: itemAt(2) });
    expect(new Set(await statusesOf(all))).toEqual(new Set([410]));
    await follow(true);
    const rebuilt = await packages();
    await publishAll(true);
    const after = await packages();
    const texts = async (paths: readonly string[]) => {
      const found: string[] = [];
      for (const path of paths)
        for (const [name, content] of await readZip((await get(path)).body))
          if (name !== 'manifest.xml') found.push(content.toString().replace(/<\/?dc>/g, ''));
      return [...new Set(found)].sort();
    };
    expect(await texts([...rebuilt.dump, ...rebuilt.changes])).toEqual(['for everybody']);
    expect(await texts([...after.dump, ...after.changes])).toEqual(['for everybody', 'somebody else']);
    expect(new Set(await statusesOf([...after.dump, ...after.changes]))).toEqual(new Set([200]));
    // Something else goes: what is there now stays in the packages.
    living.clock.set('2026-12-04T10:00:00Z');
    await living.deliver('open', { refused: true });
    await follow(true);
    const last = await packages();
    expect(await texts([...last.dump, ...last.changes])).toEqual(['somebody else']);
  });

  it('a file that is only withheld has its packages wait, and come back as they were', async () => {
    const { dump, changes } = await stock();
    const held = (at: string | null) =>
      open()
        .database.writer('remote_file')
        .where({ url: 'http://127.0.0.1:1/secretfile.pdf' })
        .update({
          outcome: at === null ? 'confirmed' : 'refused',
          withheld_at: at,
        });
    await held('2026-12-03T10:00:00Z');
    const [zip = ''] = dump;
    expect(await statusesOf([zip, changes[0] ?? ''])).toEqual([503, 503, 503, 503]);
    expect((await get(zip)).headers['retry-after']).toBe('600');
    expect(await statusesOf([changes[1] ?? ''])).toEqual([200, 200]);
    await follow();
    await held(null);
    expect(await statusesOf([zip, changes[0] ?? ''])).toEqual([200, 200, 200, 200]);
  });

  it('an export has no package that is being built again', async () => {
    const { dump, changes } = await stock();
    const read = async () => {
      const snapshot = await readPublicationSnapshot(living.directory, baseUrl, {
        mayHandOut: async (packed) => {
          const verdict = await judgePackage(open().database.reader, set(), packed, { ofDeleted });
          return verdict === 'open';
        },
      });
      return [...(snapshot?.documents.keys() ?? [])];
    };
    expect(await read()).toEqual(expect.arrayContaining([...dump, ...changes]));
    await restrict();
    const left = await read();
    for (const path of [dump[0] ?? '', changes[0] ?? '']) {
      expect(left).not.toContain(path);
      expect(left).not.toContain(manifestOf(path));
    }
    expect(left).toContain(changes[1]);
  });
});
