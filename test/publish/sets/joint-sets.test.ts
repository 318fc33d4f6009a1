import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type JointChoice, jointSets } from '../../../src/core/config/joint-sets.ts';
import type { ResourceSet } from '../../../src/core/resource-set.ts';
import { openPublication, type Publication } from '../../../src/publish/published/publication.ts';
import { createPublisher, type PublishOptions } from '../../../src/publish/publisher.ts';
import { leaveJoints } from '../../../src/store/joint/lost-changes.ts';
import { entriesOf, rootOf, textOf } from '../../house/publish/reading.ts';
import {
  baseUrl,
  endFirstPass,
  HandClock,
  seedChanges,
  seedSource,
  silent,
} from '../../house/publish/seed.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const at = (time: string) => `2026-11-21T${time}Z`;

describeOnBoth('sets across sources', (open) => {
  let directory: string;
  let clock: HandClock;
  let publication: Publication;
  let count = 0;
  let names: string[];
  let setName: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'rsbridge-joint-'));
    count += 1;
    setName = `set${count}`;
    names = [`a${count}`, `b${count}`];
    clock = new HandClock(at('12:00:00'));
    publication = openPublication(directory);
    for (const name of names) await seedSource(open().database, name);
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  const [first, second] = [() => names[0] ?? '', () => names[1] ?? ''];
  function set(choice: JointChoice = {}, members = names): ResourceSet {
    const [only] = jointSets({ [setName]: choice }, Object.fromEntries(members.map((name) => [name, {}])));
    if (!only) throw new Error('there is no set');
    return only;
  }
  const publish = (
    of = set(),
    options: PublishOptions = { resourceList: 'if-missing' },
    limits = { entries: 100, bytes: 1_000_000 },
  ) =>
    createPublisher({ database: open().database, directory, baseUrl, clock, log: silent, limits }).publish(
      of,
      options,
    );
  const seed = (name: string, changes: Parameters<typeof seedChanges>[2]) =>
    seedChanges(open().database, name, changes);
  const read = (name: string) => textOf(publication, `sets/${setName}/${name}`);
  async function seedBoth(): Promise<void> {
    await seed(first(), [{ name: 'x', at: at('10:00:00') }]);
    await seed(second(), [
      { name: 'y', at: at('11:00:00') },
      { name: 'z', at: at('11:30:00') },
    ]);
    for (const name of names) await endFirstPass(open().database, name);
  }

  it('begins with all that lives in its sources, and says of each entry where it comes from', async () => {
    await seedBoth();
    expect(await publish()).toMatchObject({ published: true });
    const list = await read('resourcelist.xml');
    expect(entriesOf(list)).toEqual(['x', 'y', 'z']);
    expect(list).toContain(`<rs:ln rel="collection" href="${baseUrl}/${first()}/about"/>`);
    expect(await read('capabilitylist.xml')).toContain(`${baseUrl}/sets/${setName}/resourcelist.xml`);
    expect(rootOf(list)).toMatchObject({ capability: 'resourcelist', at: at('12:00:00') });
  });

  it('has what happens in any of them in one order of time, dated when it became known (RS-CL-04)', async () => {
    await seedBoth();
    await publish();
    clock.set(at('12:10:00'));
    await seed(second(), [{ name: 'y', at: at('12:09:59'), change: 'updated' }]);
    await publish();
    // Committed later, although its own clock was behind.
    clock.set(at('12:10:05'));
    await seed(first(), [{ name: 'x', at: at('12:09:00'), change: 'deleted' }]);
    await publish();
    const list = await read('changelist.xml');
    expect(entriesOf(list)).toEqual(['updated y', 'deleted x']);
    const times = [...list.matchAll(/datetime="([^"]*)"/g)].map(([, time]) => time);
    expect(times).toEqual([at('12:10:00'), at('12:10:05')]);
    expect(list).toContain(`<lastmod>${at('12:09:00')}</lastmod>`);
    // RS-CL-02, RS-CLI-10: nothing lies between the Resource List and the first Change List.
    expect(rootOf(await read('changelist-index.xml')).from).toBe(at('12:00:00'));
  });

  it('has a source that joins as created, when its first pass is over', async () => {
    await seed(first(), [{ name: 'x', at: at('10:00:00') }]);
    await endFirstPass(open().database, first());
    await seed(second(), [{ name: 'y', at: at('10:00:00') }]);
    await publish();
    expect(entriesOf(await read('resourcelist.xml'))).toEqual(['x']);
    clock.set(at('12:30:00'));
    await publish();
    await endFirstPass(open().database, second());
    clock.set(at('12:31:00'));
    await publish();
    expect(entriesOf(await read('changelist.xml'))).toEqual(['created y']);
    await publish(set(), { resourceList: 'always' });
    expect(entriesOf(await read('resourcelist.xml'))).toEqual(['x', 'y']);
  });

  it('has each resource once in the flat list, though more of it is not taken up yet', async () => {
    await seedBoth();
    await publish();
    clock.set(at('12:10:00'));
    await seed(second(), [{ name: 'y', at: at('12:09:59'), change: 'updated' }]);
    await publish(set(), { resourceList: 'never' });
    clock.set(at('12:11:00'));
    await seed(second(), [
      { name: 'y', at: at('12:10:59'), change: 'updated' },
      { name: 'y', at: at('12:11:00'), change: 'deleted' },
    ]);
    await publish();
    expect(entriesOf(await read('changelist.xml'))).toEqual(['deleted y']);
    const [dated] = /changelist\/[^<]*\.xml/.exec(await read('changelist-index.xml')) ?? [];
    expect(entriesOf(await read(dated ?? ''))).toEqual(['updated y', 'updated y', 'deleted y']);
  });

  it('begins anew where a source leaves it, and not where one joins', async () => {
    await seedBoth();
    await publish();
    clock.set(at('12:10:00'));
    await seed(first(), [{ name: 'w', at: at('12:09:00') }]);
    await publish();
    clock.set(at('12:20:00'));
    await publish(set({}, [second()]));
    expect(entriesOf(await read('resourcelist.xml'))).toEqual(['y', 'z']);
    expect(await publication.find(`sets/${setName}/changelist.xml`)).toBeUndefined();
    clock.set(at('12:30:00'));
    await publish();
    expect(entriesOf(await read('changelist.xml'))).toEqual(['created x', 'created w']);
    expect(entriesOf(await read('resourcelist.xml'))).toEqual(['y', 'z']);
  });

  it('tells of the deletion of a source that is removed, configured or not', async () => {
    await seedBoth();
    await publish();
    clock.set(at('12:10:00'));
    await seed(second(), [
      { name: 'y', at: at('12:09:00'), change: 'deleted' },
      { name: 'z', at: at('12:09:00'), change: 'deleted' },
    ]);
    await open()
      .database.writer('source')
      .where({ name: second() })
      .update({ removed_at: at('12:09:00') });
    await publish(set({}, [first()]));
    expect(entriesOf(await read('changelist.xml'))).toEqual(['deleted y', 'deleted z']);
  });

  it('begins anew where a source was purged before its deletion was published', async () => {
    await seedBoth();
    await publish();
    clock.set(at('12:10:00'));
    await seed(second(), [{ name: 'y', at: at('12:09:00'), change: 'deleted' }]);
    const { database } = open();
    const { id } = await database.writer('source').where({ name: second() }).first('id');
    await database.transaction((trx) => leaveJoints(trx, id, at('12:10:00')));
    await database
      .writer('source')
      .where({ id })
      .update({ name: `${second()}-gone` });
    await publish(set({}, [first()]));
    expect(entriesOf(await read('resourcelist.xml'))).toEqual(['x']);
    expect(rootOf(await read('resourcelist.xml')).at).toBe(at('12:10:00'));
  });

  it('renders the same again from nothing but the database', async () => {
    await seedBoth();
    await publish();
    for (const [index, name] of [first(), second(), first()].entries()) {
      clock.set(at(`12:1${index}:00`));
      await seed(name, [{ name: `n${index}`, at: at(`12:0${index}:00`) }]);
      await publish();
    }
    const [dated] = /changelist\/[^<]*\.xml/.exec(await read('changelist-index.xml')) ?? [];
    const before = await read(dated ?? '');
    expect(entriesOf(before)).toEqual(['created n0', 'created n1', 'created n2']);
    await rm(join(directory, 'publication'), { recursive: true });
    publication = openPublication(directory);
    await publish();
    expect(await read(dated ?? '')).toBe(before);
  });

  it('has what its conditions say: by source, by collection of one or of all, by format', async () => {
    const inTheses = (name: string) => [{ rel: 'collection', href: `${name}/collections/theses:phd` }];
    const inBooks = (name: string) => [{ rel: 'collection', href: `${name}/collections/books` }];
    for (const name of names) {
      await seed(name, [
        { name: `t-${name}`, at: at('10:00:00'), links: inTheses(name) },
        { name: `b-${name}`, at: at('10:00:00'), links: inBooks(name) },
        { name: `f-${name}`, at: at('10:00:00'), kind: 'file' },
      ]);
      await endFirstPass(open().database, name);
    }
    const listed = async (choice: JointChoice) => {
      setName += 'x';
      await publish(set(choice));
      return entriesOf(await read('resourcelist.xml'));
    };
    const [a, b] = [first(), second()];
    expect(await listed({ sources: ['b*'] })).toEqual([`t-${b}`, `b-${b}`, `f-${b}`]);
    expect(await listed({ collections: ['theses'] })).toEqual([`t-${a}`, `t-${b}`]);
    expect(await listed({ collections: ['the*'] })).toEqual([`t-${a}`, `t-${b}`]);
    expect(await listed({ collections: [`${a}/theses`, `${b}/books`] })).toEqual([`t-${a}`, `b-${b}`]);
    expect(await listed({ collections: ['*'], sources: [a] })).toEqual([`t-${a}`, `b-${a}`]);
    expect(await listed({ formats: ['oai_dc'], sources: [b] })).toEqual([`t-${b}`, `b-${b}`]);
    // A change of membership is one of the set, too.
    setName += 'y';
    await publish(set({ collections: ['theses'] }));
    clock.set(at('13:00:00'));
    await open()
      .database.writer('source')
      .where({ name: a })
      .update({ journal_at: at('12:59:00') });
    await seed(a, [{ name: `b-${a}`, at: at('12:59:00'), change: 'updated', links: inTheses(a) }]);
    const change = () =>
      open()
        .database.writer('change')
        .where({ at: at('12:59:00') });
    await change().update({ links_before: JSON.stringify(inBooks(a)) });
    await publish(set({ collections: ['theses'] }));
    expect(entriesOf(await read('changelist.xml'))).toEqual([`created b-${a}`]);
  });
});
