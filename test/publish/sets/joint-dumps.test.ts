import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { XmlBufferInputProvider, XmlDocument, XsdValidator, xmlRegisterInputProvider } from 'libxml2-wasm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withheldJointDumps } from '../../../src/bridge/state/withheld-dumps.ts';
import { type JointChoice, jointSets } from '../../../src/core/config/joint-sets.ts';
import { toIso } from '../../../src/core/datetime.ts';
import type { ResourceSet, SetChoices } from '../../../src/core/resource-set.ts';
import type { Policy } from '../../../src/publish/policy.ts';
import { followedUpTo } from '../../../src/publish/published/followed-journal.ts';
import { judgePackage, type PackageVerdict } from '../../../src/publish/published/withheld-packages.ts';
import { takeUp } from '../../../src/store/joint/take-up.ts';
import { jointOf } from '../../../src/store/reading/joint-changes.ts';
import { ruleOf } from '../../../src/store/reading/withheld.ts';
import { deleteAll, purgeSource } from '../../../src/store/removal/removed-sources.ts';
import { enforceWithdrawals, withdraw } from '../../../src/store/removal/withdrawals.ts';
import { acquireLease, releaseLease } from '../../../src/store/runs/leases.ts';
import { readJournal } from '../../../src/store/sources/journal.ts';
import { packagesOf, readPackage } from '../../house/publish/dump-follower.ts';
import { LivingSource } from '../../house/publish/living-source.ts';
import { entriesOf, pathsOf, rootOf, textOf } from '../../house/publish/reading.ts';
import { baseUrl, endFirstPass } from '../../house/publish/seed.ts';
import { sharedSpec } from '../../house/publish/shared-material.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const at = (time: string) => `2026-12-01T${time}Z`;
const xsd = sharedSpec('xsd');
let sets = 0;

describeOnBoth('dumps of sets across sources', (open) => {
  let first: LivingSource;
  let second: LivingSource;
  let setName: string;
  const mirrored: SetChoices = { files: { mode: 'mirror' } };

  beforeEach(async () => {
    const { database } = open();
    sets += 1;
    setName = `d${sets}`;
    first = await LivingSource.begin(database);
    second = await LivingSource.begin(database, first);
    first.fileMode = 'mirror';
    second.fileMode = 'mirror';
    first.clock.set(at('10:00:00'));
    await first.deliver('same', { text: 'of the first' });
    await second.deliver('same', { text: 'of the second' });
    await second.deliver('b', { text: 'b' });
    for (const { name } of [first, second]) await endFirstPass(database, name);
  });
  afterEach(() => first.end());

  const file = (name: string) => ({ url: `http://127.0.0.1:1/${setName}-${name}`, name, sequence: 1 });
  async function deposit(source: LivingSource, identifier: string, name: string): Promise<void> {
    await source.deliver(identifier, { text: identifier, files: [file(name)] });
    await source.mirror(file(name).url, Buffer.from(`%PDF ${name}`));
  }
  function set(
    choices: Record<string, SetChoices> = { [first.name]: mirrored, [second.name]: mirrored },
    choice: JointChoice = { dumps: true },
  ): ResourceSet {
    const [only] = jointSets({ [setName]: choice }, choices);
    if (!only) throw new Error('there is no set');
    return only;
  }
  async function publish(of = set(), policy: Partial<Policy> = {}, close = true): Promise<void> {
    const publisher = first.publisher(policy);
    await publisher.publish(of, { resourceList: 'always', close });
    await publisher.publishDumps(of, { resourceDump: 'always' });
    await publisher.publishSite([of]);
  }
  const read = (name: string) => textOf(first.publication, `sets/${setName}/${name}`);
  const listed = async (name: 'resourcedump' | 'changedump') =>
    (await packagesOf(first.publication, `sets/${setName}/${name}.xml`)).map(({ path }) => path);
  const packed = async (path = '') => readPackage(first.publication, path);
  const texts = async (path = '') =>
    (await packed(path)).map(({ change, loc, bytes }) =>
      [change, loc.slice(baseUrl.length + 1), bytes?.toString()].filter((one) => one !== undefined).join(' '),
    );
  async function judged(path = '', of = set()): Promise<PackageVerdict> {
    const document = await first.publication.find(path);
    if (!document?.packed) throw new Error(`${path} is no package`);
    return judgePackage(open().database.reader, of, document.packed, ruleOf(of));
  }

  it('have all of their sources in one package, each entry with its source and a place of its own', async () => {
    await deposit(first, 'f', 'f.pdf');
    await publish();
    const [zip] = await listed('resourcedump');
    const entries = await packed(zip);
    const [a, b] = [first.name, second.name];
    expect(entries.map(({ path, bytes }) => `${path} ${bytes}`)).toEqual([
      `/${a}/items/same/oai_dc.xml <dc>of the first</dc>`,
      `/${a}/items/f/oai_dc.xml <dc>f</dc>`,
      `/${a}/items/f/files/1-f.pdf %PDF f.pdf`,
      `/${b}/items/same/oai_dc.xml <dc>of the second</dc>`,
      `/${b}/items/b/oai_dc.xml <dc>b</dc>`,
    ]);
    for (const { loc, links } of entries) {
      const source = loc.includes(`/${a}/`) ? a : b;
      expect(links).toContain(`collection ${baseUrl}/${source}/about`);
    }
    const capabilities = await read('capabilitylist.xml');
    expect(capabilities).toContain(`${baseUrl}/sets/${setName}/resourcedump.xml`);
    expect([...entriesOf(await read('resourcelist.xml'))].sort()).toEqual(['b', 'f', 'f', 'same', 'same']);
    expect(await judged(zip)).toBe('open');
  });

  it('are refused while they have anything of a source that is private now, and are written without it', async () => {
    await publish();
    first.clock.set(at('11:00:00'));
    await second.deliver('same', { text: 'of the second, edited' });
    await publish();
    const [before] = await listed('resourcedump');
    const [changes] = await listed('changedump');
    expect([before, changes]).not.toContain(undefined);
    const judgedWithout = async (path: string | undefined, of: ResourceSet, hidden: readonly string[]) => {
      const document = await first.publication.find(path ?? '');
      if (!document?.packed) throw new Error(`${path} is no package`);
      return judgePackage(open().database.reader, of, document.packed, ruleOf(of), hidden);
    };
    const without = set({ [first.name]: mirrored, [second.name]: { ...mirrored, access: {} } });
    expect(without.members?.map(({ source }) => source)).toEqual([first.name]);
    for (const path of [before, changes]) {
      expect(await judgedWithout(path, set(), [])).toBe('open');
      expect(await judgedWithout(path, set(), ['another'])).toBe('open');
      expect(await judgedWithout(path, without, [second.name])).toBe('withdrawn');
    }
    first.clock.set(at('12:00:00'));
    await publish(without);
    const after = await listed('resourcedump');
    expect(after).not.toContain(before);
    for (const path of after) expect(await judgedWithout(path, without, [second.name])).toBe('open');
    // It begins anew: nothing lists the changes of before.
    expect(await first.publication.find(changes ?? '')).toBeUndefined();
    expect(await texts(after[0])).toEqual([`${first.name}/items/same/oai_dc.xml <dc>of the first</dc>`]);
  });

  it('have a package for each Change List, in one order of time, with the bytes of then', async () => {
    await publish();
    first.clock.set(at('11:00:00'));
    await second.deliver('same', { text: 'edited' });
    await publish(set(), {}, false);
    first.clock.set(at('11:01:00'));
    await first.deliver('new', { text: 'new' });
    await second.deliver('same', { text: 'edited again' });
    await second.deliver('b', { deleted: true });
    await publish();
    const [zip, ...others] = await listed('changedump');
    expect(others).toEqual([]);
    const [a, b] = [first.name, second.name];
    expect(await texts(zip)).toEqual([
      `updated ${b}/items/same/oai_dc.xml <dc>edited</dc>`,
      `created ${a}/items/new/oai_dc.xml <dc>new</dc>`,
      `updated ${b}/items/same/oai_dc.xml <dc>edited again</dc>`,
      `deleted ${b}/items/b/oai_dc.xml`,
    ]);
    expect((await packed(zip))[0]?.links).toContain(`collection ${baseUrl}/${b}/about`);
    const { from } = rootOf(await read('changedump.xml'));
    first.clock.set(at('12:00:00'));
    await first.deliver('new', { text: 'newer' });
    await publish();
    expect(await listed('changedump')).toEqual([zip, expect.any(String)]);
    expect(rootOf(await read('changedump.xml')).from).toBe(from);
  });

  it('have nothing that has become private: refused at once, and built again without it', async () => {
    await deposit(second, 'closed', 'secret.pdf');
    await deposit(first, 'open', 'open.pdf');
    await publish();
    first.clock.set(at('11:00:00'));
    await second.deliver('closed', { text: 'edited', files: [file('secret.pdf')] });
    await publish();
    first.clock.set(at('12:00:00'));
    await first.deliver('open', { text: 'edited', files: [file('open.pdf')] });
    await publish();
    const [zip] = await listed('resourcedump');
    const changes = await listed('changedump');
    expect(changes).toHaveLength(2);
    first.clock.set(at('13:00:00'));
    // The repository does not name the file any more; nobody has published that yet.
    await second.deliver('closed', { text: 'closed' });
    expect(await judged(zip)).toBe('withdrawn');
    expect(await judged(changes[1])).toBe('open');
    await first.publisher().publish(set(), { resourceList: 'if-missing' });
    const [next] = await listed('resourcedump');
    expect(next).not.toBe(zip);
    const texts = (await packed(next)).map(({ bytes }) => bytes?.toString());
    expect(texts).not.toContain('%PDF secret.pdf');
    expect(texts).toContain('%PDF open.pdf');
    expect(await judged(next)).toBe('open');
    expect(await first.publication.find(zip ?? '')).toBeUndefined();
    expect(await first.publication.isFormerPackage?.(zip ?? '')).toBe(true);
  });

  it('keep to the rule of each source, also where it has become stricter', async () => {
    await publish();
    first.clock.set(at('11:00:00'));
    for (const source of [first, second]) await source.deliver('same', { deleted: true });
    await first.publisher().publish(set(), { resourceList: 'never' });
    const [zip] = await listed('resourcedump');
    expect(await judged(zip)).toBe('open');
    const strict: SetChoices = { ...mirrored, mementos: { links: 'metadata', ofDeleted: false } };
    const [lenient, half, whole] = [
      set(),
      set({ [first.name]: mirrored, [second.name]: strict }),
      set({ [first.name]: strict, [second.name]: strict }),
    ];
    expect(await judged(zip, half)).toBe('withdrawn');
    await first.publisher().publish(half, { resourceList: 'never' });
    const [built] = await listed('resourcedump');
    expect(await texts(built)).toContain(`${first.name}/items/same/oai_dc.xml <dc>of the first</dc>`);
    expect((await texts(built)).join()).not.toContain('of the second');
    expect([await judged(built, half), await judged(built, lenient)]).toEqual(['open', 'open']);
    expect(await judged(built, whole)).toBe('withdrawn');
  });

  async function remove(source: LivingSource, purge: boolean): Promise<void> {
    const { database } = open();
    const now = () => ({ iso: toIso(first.clock.now()), milliseconds: first.clock.now().getTime() });
    const lease = await acquireLease(database, source.name, now().milliseconds);
    const { signal } = new AbortController();
    if (purge) await purgeSource(database, lease, now, signal);
    else await deleteAll(database, lease, now, signal);
    await releaseLease(database, lease);
  }

  it('have nothing of a source that was removed, before and after its rows are gone', async () => {
    await publish();
    first.clock.set(at('11:00:00'));
    await second.deliver('same', { text: 'edited' });
    await publish();
    const before = [...(await listed('resourcedump')), ...(await listed('changedump'))];
    first.clock.set(at('12:00:00'));
    await remove(second, false);
    const left = set({ [first.name]: mirrored });
    for (const path of before) expect(await judged(path, left)).toBe('withdrawn');
    await publish(left);
    const all = async () => [...(await listed('resourcedump')), ...(await listed('changedump'))];
    const bytes = async () => (await Promise.all((await all()).map(texts))).flat().join('\n');
    expect(await bytes()).toContain('of the first');
    expect(await bytes()).not.toContain('<dc>edited');
    expect(await bytes()).toContain(`deleted ${second.name}/items/b/oai_dc.xml`);
    const dumps = await all();
    await remove(second, true);
    for (const path of dumps) expect(await judged(path, left)).toBe('open');
    first.clock.set(at('13:00:00'));
    await first.deliver('same', { text: 'goes on' });
    await publish(left);
    expect(await bytes()).toContain('goes on');
  });

  it('have nothing that the operator withdrew, of whichever source, and nothing of a set that has begun anew', async () => {
    await publish();
    first.clock.set(at('11:00:00'));
    await second.deliver('b', { text: 'edited' });
    await publish();
    const before = [...(await listed('resourcedump')), ...(await listed('changedump'))];
    first.clock.set(at('12:00:00'));
    const { database } = open();
    const target = { source: second.name, identifier: 'b', path: undefined };
    await withdraw(database, target, undefined, at('12:00:00'));
    const now = first.clock.now();
    const lease = await acquireLease(database, second.name, now.getTime());
    await enforceWithdrawals(database, lease, { iso: toIso(now), milliseconds: now.getTime() });
    await releaseLease(database, lease);
    for (const path of before) expect(await judged(path)).toBe('withdrawn');
    await first.publisher().publish(set(), { resourceList: 'never' });
    const dump = await listed('resourcedump');
    expect((await texts(dump[0])).join()).not.toContain(`${second.name}/items/b/`);
    expect(await judged(dump[0])).toBe('open');
    // Nothing of the only package of changes was left.
    expect(await first.publication.find(`sets/${setName}/changedump.xml`)).toBeUndefined();
    // What one source less makes of it is not published yet.
    const less = set({ [first.name]: mirrored });
    await takeUp(database, jointOf(less), at('13:00:00'));
    expect(await judged(dump[0], less)).toBe('withdrawn');
    expect(await judged(dump[0], { ...less, members: undefined })).toBe('withdrawn');
  });

  it('keep the bytes of versions that are in no package yet, by the place of each source', async () => {
    await publish();
    const { database } = open();
    const place = (name: string, of = set()) => followedUpTo(database, first.directory, [of], name);
    const seqOf = async (name: string) => (await readJournal(database.reader, name))?.seq;
    const [a, b] = [await seqOf(first.name), await seqOf(second.name)];
    expect([await place(first.name), await place(second.name)]).toEqual([a, b]);
    first.clock.set(at('11:00:00'));
    await first.deliver('same', { text: 'edited' });
    await publish(set(), {}, false);
    // Its Change List is open, and has no package.
    expect([await place(first.name), await place(second.name)]).toEqual([a, b]);
    first.clock.set(at('12:00:00'));
    await publish();
    expect([await place(first.name), await place(second.name)]).toEqual([(a ?? 0) + 1, b]);
    const later = await LivingSource.begin(database, first);
    await later.deliver('x');
    expect(await place(later.name)).toBe(0);
    expect(await place('nobody')).toBeUndefined();
  });

  it('begin their Change Dump anew where a source was purged before all of it was in a package', async () => {
    await publish();
    first.clock.set(at('11:00:00'));
    await first.deliver('same', { text: 'packed' });
    await publish();
    expect(await listed('changedump')).toHaveLength(1);
    first.clock.set(at('12:00:00'));
    await remove(second, false);
    const left = set({ [first.name]: mirrored });
    // Its deletions are in the open Change List, and in no package.
    await publish(left, {}, false);
    await remove(second, true);
    first.clock.set(at('12:30:00'));
    await publish(left);
    expect(await first.publication.find(`sets/${setName}/changedump.xml`)).toBeUndefined();
    first.clock.set(at('13:00:00'));
    await first.deliver('same', { text: 'later' });
    await publish(left);
    const [zip, ...others] = await listed('changedump');
    expect(others).toEqual([]);
    expect(await texts(zip)).toEqual([`updated ${first.name}/items/same/oai_dc.xml <dc>later</dc>`]);
  });

  it('are not offered where a file of one source is only passed on, and are of metadata alone', async () => {
    second.fileMode = 'proxy';
    await second.deliver('p', { text: 'p', files: [file('passed-on.pdf')] });
    await second.settle();
    await publish();
    expect(await read('capabilitylist.xml')).not.toContain('dump');
    const { database } = open();
    const why = await withheldJointDumps({ database }, set());
    expect(why).toMatch(
      new RegExp(`^no dumps of sets/${setName}, .*${second.name}/items/p/files/1-passed-on.pdf`),
    );
    expect(await withheldJointDumps({ database }, set(undefined, {}))).toBeUndefined();
    setName += 'm';
    const metadata = set(undefined, { dumps: true, formats: ['oai_dc'] });
    await publish(metadata);
    expect(await texts((await listed('resourcedump'))[0])).toHaveLength(4);
    await publish(set(undefined, { formats: ['oai_dc'] }));
    expect(await read('capabilitylist.xml')).not.toContain('dump');
  });

  it('are in several packages and documents where one would be too large', async () => {
    for (let count = 0; count < 5; count += 1) await first.deliver(`n${count}`, { text: `${count}` });
    const publisher = first.publisher({}, { entries: 3, bytes: 1_000_000 });
    await publisher.publish(set(), { resourceList: 'always', close: true });
    await publisher.publishDumps(set(), { resourceDump: 'always' });
    await publisher.publishSite([set()]);
    const zips = await listed('resourcedump');
    expect(await Promise.all(zips.map(async (zip) => (await texts(zip)).length))).toEqual([3, 3, 2]);
    first.clock.set(at('11:00:00'));
    await second.deliver('b', { deleted: true });
    await remove(second, false);
    const left = set({ [first.name]: mirrored });
    // Of the first package nobody says anything: it has nothing of the second source.
    expect(await Promise.all(zips.map((zip) => judged(zip, left)))).toEqual(['open', 'open', 'withdrawn']);
  });

  describe.skipIf(xsd === undefined)('RS-GEN-23', () => {
    it('their documents are valid against the official schemas', async () => {
      await publish();
      first.clock.set(at('11:00:00'));
      await second.deliver('same', { text: 'edited' });
      await second.deliver('b', { deleted: true });
      await publish();
      const folder = xsd ?? '';
      const buffers: Record<string, Uint8Array> = {};
      for (const name of ['resourcesync.xsd', 'sitemap.xsd', 'siteindex.xsd'])
        buffers[`file:///xsd/${name}`] = await readFile(join(folder, name));
      xmlRegisterInputProvider(new XmlBufferInputProvider(buffers));
      const driver = await readFile(join(folder, 'rs-driver.xsd'));
      using schema = XmlDocument.fromBuffer(driver, { url: 'file:///xsd/rs-driver.xsd' });
      using validator = XsdValidator.fromDoc(schema);
      const paths = (await pathsOf(first.directory, `sets/${setName}`)).filter((path) =>
        path.endsWith('.xml'),
      );
      expect(paths.filter((path) => path.includes('dump')).length).toBeGreaterThanOrEqual(5);
      for (const path of paths) {
        using document = XmlDocument.fromString(await textOf(first.publication, path));
        expect(() => validator.validate(document), path).not.toThrow();
      }
    });
  });
});
