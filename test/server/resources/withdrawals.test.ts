import { access } from 'node:fs/promises';
import { request } from 'undici';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SourceFile } from '../../../src/core/adapter.ts';
import { toIso } from '../../../src/core/datetime.ts';
import { sha256 } from '../../../src/core/payloads/sha-256.ts';
import { contentFile } from '../../../src/store/payloads/content-files.ts';
import { removeUnreferenced } from '../../../src/store/payloads/unreferenced-blobs.ts';
import { endWithdrawals, listWithdrawals, withdraw } from '../../../src/store/removal/withdrawals.ts';
import { readJournal } from '../../../src/store/sources/journal.ts';
import { countSource, findSource } from '../../../src/store/sources/sources.ts';
import { LivingSource } from '../../house/publish/living-source.ts';
import { baseUrl } from '../../house/publish/seed.ts';
import { type House, openHouse } from '../../house/server/fixture.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { readBlob } from '../../house/store/read-blob.ts';

/** What the operator takes down, as the world sees it, and as the disk has it. */
describeOnBoth('what is withdrawn', (open) => {
  let living: LivingSource;
  let house: House;

  beforeEach(async () => {
    const { database } = open();
    living = await LivingSource.begin(database);
    living.fileMode = 'mirror';
    const { publication, clock, directory } = living;
    house = await openHouse({ publication, baseUrl, database, clock, directory });
  });
  afterEach(async () => {
    await house.close();
    await living.end();
  });

  const url = (name: string) => `http://127.0.0.1:1/${name}`;
  const file = (name: string, sequence = 1): SourceFile => ({ url: url(name), name, sequence });
  const long = (text: string) => `${text} ${'and what all versions of it have in common '.repeat(40)}`;
  const bytesOf = (text: string) => Buffer.from(`<dc>${long(text)}</dc>`);
  const path = (item: string, rest = 'oai_dc.xml') => `${living.name}/items/${item}/${rest}`;

  let day = 0;
  const nextDay = () => {
    day += 1;
    living.clock.set(`2026-12-${String(day).padStart(2, '0')}T10:00:00Z`);
  };
  beforeEach(() => {
    day = 0;
    nextDay();
  });

  async function status(at: string, accept = '*/*'): Promise<number> {
    const response = await request(`${await house.origin()}/${at}`, { headers: { accept } });
    await response.body.dump();
    return response.statusCode;
  }

  async function takeDown(identifier: string, of?: string): Promise<void> {
    const { database } = open();
    const now = toIso(living.clock.now());
    await withdraw(database, { source: living.name, identifier, path: of }, 'asked for', now);
    await living.settle();
    const settings = { database, directory: living.directory, followedUpTo: new Map(), now, urgent: true };
    await removeUnreferenced(settings);
  }

  const isKept = async (content: Uint8Array) =>
    (await readBlob(open().database.writer, sha256(content))) !== undefined;
  const isOnDisk = (content: Uint8Array) =>
    access(contentFile(living.directory, sha256(content))).then(
      () => true,
      () => false,
    );
  const resourcesOf = async () => {
    const source = await findSource(open().database.writer, living.name);
    return (await countSource(open().database.writer, source?.id ?? 0, '2026-01-01T00:00:00Z')).resources;
  };

  it('an item is gone everywhere at once, stays gone whatever is delivered, and leaves no bytes', async () => {
    const { database } = open();
    const [pdf, shared] = [Buffer.from('%PDF of a secret'), Buffer.from('%PDF that two items have')];
    for (const text of ['first', 'second', 'third']) {
      await living.deliver('secret', { text: long(text), files: [file('a.pdf'), file('b.pdf', 2)] });
      nextDay();
    }
    await living.deliver('other', { text: long('other'), files: [file('c.pdf')] });
    await living.mirror(url('a.pdf'), pdf);
    await living.mirror(url('b.pdf'), shared);
    await living.mirror(url('c.pdf'), shared);
    expect(await status(path('secret'))).toBe(200);
    expect(await isOnDisk(pdf)).toBe(true);
    nextDay();
    const before = (await readJournal(database.writer, living.name))?.seq ?? 0;
    await takeDown('secret');
    const memento = `memento/20261203100000/${baseUrl}/${path('secret')}`;
    for (const at of [
      path('secret'),
      path('secret', 'files/1-a.pdf'),
      `${living.name}/items/secret`,
      memento,
    ]) {
      expect([at, await status(at)]).toEqual([at, 410]);
    }
    expect(await status(path('other', 'files/1-c.pdf'))).toBe(200);
    const deleted = await database
      .writer('change')
      .join('resource', 'resource.id', 'change.resource_id')
      .where('change.seq', '>', before)
      .where({
        'change.kind': 'deleted',
        'resource.source_id': (await findSource(database.writer, living.name))?.id,
      })
      .orderBy('resource.path')
      .select('resource.path');
    expect(deleted.map((row: { path: string }) => row.path)).toEqual([
      path('secret', 'files/1-a.pdf'),
      path('secret', 'files/2-b.pdf'),
      path('secret'),
    ]);
    for (const text of ['first', 'second', 'third'])
      expect([text, await isKept(bytesOf(text))]).toEqual([text, false]);
    expect(await isKept(pdf)).toBe(false);
    expect(await isOnDisk(pdf)).toBe(false);
    // Another resource is the same, and public.
    expect(await isOnDisk(shared)).toBe(true);
    expect(await isKept(bytesOf('other'))).toBe(true);
    expect(await resourcesOf()).toBe(2);

    nextDay();
    const files = [file('a.pdf'), file('b.pdf', 2), file('new.pdf', 3)];
    await living.deliver('secret', { text: long('fourth'), files });
    await living.mirror(url('a.pdf'), pdf).catch(() => undefined);
    await living.settle();
    expect(await status(path('secret'))).toBe(410);
    expect(await status(`${living.name}/items/secret`)).toBe(410);
    expect(await status(path('secret', 'files/3-new.pdf'))).not.toBe(200);
    expect(await isKept(bytesOf('fourth'))).toBe(false);
    expect(await resourcesOf()).toBe(2);

    await endWithdrawals(database, [{ source: living.name, identifier: 'secret', path: undefined }]);
    nextDay();
    await living.deliver('secret', { text: long('fourth'), files });
    expect(await status(path('secret'))).toBe(200);
    // What it was before stays withdrawn: its bytes are not there.
    expect(await status(memento)).not.toBe(200);
    expect(await listWithdrawals(database.writer, [living.name])).toEqual([]);
  });

  it('one file goes, and the rest of its item stays, without a link to it', async () => {
    const { database } = open();
    const [secret, open_] = [Buffer.from('%PDF of one file'), Buffer.from('%PDF of another')];
    const deliver = (text: string) =>
      living.deliver('item', { text, files: [file('secret.pdf'), file('open.pdf', 2)] });
    await deliver('one');
    await living.mirror(url('secret.pdf'), secret);
    await living.mirror(url('open.pdf'), open_);
    nextDay();
    await takeDown('item', path('item', 'files/1-secret.pdf'));
    expect(await status(path('item', 'files/1-secret.pdf'))).toBe(410);
    expect(await status(path('item', 'files/2-open.pdf'))).toBe(200);
    const item = await request(`${await house.origin()}/${living.name}/items/item`, {
      headers: { accept: 'application/json' },
    });
    expect(await item.body.text()).not.toContain('secret.pdf');
    expect(await isOnDisk(secret)).toBe(false);
    nextDay();
    await deliver('two');
    await living.settle();
    expect(await status(path('item', 'files/1-secret.pdf'))).toBe(410);
    expect(await status(path('item'))).toBe(200);
    // Nobody asks for it, or downloads it, again.
    const asked = await database.writer('remote_file').where({ url: url('secret.pdf') });
    expect(asked).toEqual([]);
    // The same file at another address of the repository is the same file.
    nextDay();
    await living.deliver('item', { text: 'three', files: [file('moved/secret.pdf'), file('open.pdf', 2)] });
    expect(await status(path('item', 'files/1-secret.pdf'))).toBe(410);
  });

  it('what others are told as differences from is stored whole before it goes', async () => {
    const { database } = open();
    // The second has the bytes of a version of the first for its own first version.
    await living.deliver('one', { text: long('the same') });
    await living.deliver('two', { text: long('the same') });
    nextDay();
    await living.deliver('two', { text: long('not the same') });
    await living.deliver('one', { text: long('another end') });
    nextDay();
    await living.deliver('two', { text: long('at last') });
    await takeDown('one');
    for (const text of ['the same', 'not the same', 'at last']) {
      const content = await readBlob(database.writer, sha256(bytesOf(text)));
      expect(Buffer.from(content ?? []).toString()).toBe(bytesOf(text).toString());
    }
    expect(await isKept(bytesOf('another end'))).toBe(false);
    const left = await database.writer('blob').whereNotNull('base').select('base');
    for (const { base } of left as { base: string }[]) {
      expect(await database.writer('blob').where({ hash: base }).first('hash')).toBeDefined();
    }
  });

  it('what had been deleted before loses its past, and packages hear of it', async () => {
    const { database } = open();
    await living.deliver('record', { text: long('long ago') });
    nextDay();
    await living.deliver('record', { deleted: true });
    const memento = `memento/20260101000000/${baseUrl}/${path('record')}`;
    expect(await status(memento)).toBe(200);
    const before = (await readJournal(database.writer, living.name))?.seq ?? 0;
    nextDay();
    await takeDown('record');
    expect(await status(memento)).toBe(410);
    expect((await readJournal(database.writer, living.name))?.seq).toBe(before + 1);
    await living.settle();
    expect((await readJournal(database.writer, living.name))?.seq).toBe(before + 1);
    expect(await isKept(bytesOf('long ago'))).toBe(false);
    expect(await resourcesOf()).toBe(0);
  });

  it('what is being stored while it is withdrawn is withdrawn all the same', async () => {
    const { database } = open();
    await living.deliver('record', { text: 'one' });
    const now = toIso(living.clock.now());
    await withdraw(database, { source: living.name, identifier: 'record', path: undefined }, undefined, now);
    // Refused before anybody who holds the source has come to say so.
    expect(await status(path('record'))).toBe(410);
    expect(await status(`${living.name}/items/record`)).toBe(410);
    expect(await status(`memento/20260101000000/${baseUrl}/${path('record')}`)).toBe(410);
    await database
      .writer('resource')
      .where({ path: path('record') })
      .update({ withdrawn_at: null });
    await living.settle();
    expect(await status(path('record'))).toBe(410);
  });

  it('a package that is written after it was restored does without what was given up', async () => {
    const { database } = open();
    const set = living.set('metadata', { dumps: ['metadata'] });
    const publisher = living.publisher();
    await living.deliver('other', { text: 'other' });
    await living.deliver('record', { text: long('given up') });
    await living.deliver('record', { text: long('then this') });
    await takeDown('record');
    await endWithdrawals(database, [{ source: living.name, identifier: 'record', path: undefined }]);
    await living.deliver('record', { text: long('restored') });
    await publisher.publish(set, { resourceList: 'always', close: true });
    await publisher.publishDumps(set, { resourceDump: 'always' });
    await publisher.publishSite([set]);
    const manifest = await request(
      `${await house.origin()}/${set.path}/changedump/20261201T100000Z-manifest.xml`,
    );
    const changes = [...(await manifest.body.text()).matchAll(/change="(\w+)"/g)].map(([, change]) => change);
    expect(changes).toEqual(['created', 'deleted', 'created']);
  });
});
