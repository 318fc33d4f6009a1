import { beforeEach, expect, test } from 'vitest';
import type { FileRules } from '../../../src/core/files/published-files.ts';
import { mapItem } from '../../../src/core/mapping/mapping.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { listDueFiles, listProbes } from '../../../src/store/files/due-files.ts';
import { acceptRefusals, listCalledFor } from '../../../src/store/files/refusals.ts';
import { saveRemoteFiles } from '../../../src/store/files/remote-file-writing.ts';
import { doubtedAt, findRemoteFiles, type RemoteFile } from '../../../src/store/files/remote-files.ts';
import { countWithheldFiles, listWithheldFiles } from '../../../src/store/files/withheld-files.ts';
import { settle, settleRefusals } from '../../../src/store/pages/settle.ts';
import { storePage } from '../../../src/store/pages/store-page.ts';
import { acquireLease, type Lease } from '../../../src/store/runs/leases.ts';
import { startRun } from '../../../src/store/runs/runs.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

let sources = 0;

describeOnBoth('files whose servers say no', (open) => {
  let database: Database;
  let name: string;
  let lease: Lease;
  let now: string;
  let items: number;
  const rules: FileRules = {
    mode: 'proxy',
    perItem: 10,
    verify: true,
    landingPages: false,
    fuse: { share: 0.1, atLeast: 3 },
  };
  const moment = () => ({ iso: now, milliseconds: Date.parse(now) });
  const urlOf = (number: number) => `https://repo.example.org/bitstream/1/${number}/${name}-${number}.pdf`;
  const pass = (seconds: number) => {
    now = new Date(Date.parse(now) + seconds * 1000).toISOString().replace('.000Z', 'Z');
  };

  beforeEach(async () => {
    ({ database } = open());
    sources += 1;
    name = `refusals-${sources}`;
    now = '2026-11-21T10:00:00Z';
    await ensureSource(database, name, now);
    lease = await acquireLease(database, name, Date.parse(now));
  });

  /** So many items with a file each, all of them confirmed. */
  async function publish(count: number, access?: 'open'): Promise<void> {
    items = count;
    await deliver(access);
    const seen = Array.from({ length: count }, (_, index) => answer(index, 'confirmed'));
    await saveRemoteFiles(database, lease.sourceId, seen);
    await settle(database, lease, rules, moment);
  }

  async function deliver(access?: 'open'): Promise<void> {
    const run = await startRun(database.writer, {
      sourceId: lease.sourceId,
      mode: 'full',
      selection: '{}',
      since: undefined,
      startedAt: now,
    });
    const all = Array.from({ length: items }, (_, number) =>
      mapItem(name, {
        identifier: `${number}`,
        datestamp: '2026-01-01T00:00:00Z',
        collections: [],
        speaksFor: { formats: ['oai_dc'], files: { name: 'xoai', rank: 0 } },
        deleted: false,
        metadata: [{ format: 'oai_dc', content: Buffer.from(`<dc>${number}</dc>`) }],
        files: [{ url: urlOf(number), name: `${number}.pdf`, sequence: 1, access }],
      }),
    );
    await storePage(
      database,
      lease,
      run,
      { items: all, problems: [], checkpoint: {}, files: rules },
      moment(),
    );
  }

  function answer(number: number, outcome: RemoteFile['outcome']): RemoteFile {
    const dueAt = '2026-12-30T00:00:00Z';
    return { url: urlOf(number), outcome, failures: outcome === 'confirmed' ? 0 : 1, checkedAt: now, dueAt };
  }

  const refuse = (numbers: readonly number[], outcome: RemoteFile['outcome'] = 'refused') =>
    saveRemoteFiles(
      database,
      lease.sourceId,
      numbers.map((number) => answer(number, outcome)),
    );

  async function living(): Promise<number> {
    const [row] = await database
      .reader('resource')
      .where({ source_id: lease.sourceId, kind: 'file' })
      .whereNull('deleted_at')
      .count({ files: '*' });
    return Number(row?.files);
  }

  const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index);
  const calledFor = async () => (await listCalledFor(database.reader, now)).includes(name);

  test('are in doubt for others that have them, unless they never were published, or so many are refused that nothing follows', async () => {
    await publish(40);
    const other = `${name}-other`;
    await ensureSource(database, other, now);
    const { id } = await database.reader('source').where({ name: other }).first('id');
    const strange = { ...answer(90, 'confirmed'), url: urlOf(90) };
    await saveRemoteFiles(database, id, [...numbers(40).map((one) => answer(one, 'confirmed')), strange]);
    const doubted = async () =>
      database.reader('remote_file').where({ source_id: id, due_at: doubtedAt }).orderBy('id').pluck('url');
    await refuse([90]);
    expect(await doubted()).toEqual([]);
    await refuse([3, 7], 'gone');
    expect(await doubted()).toEqual([urlOf(3), urlOf(7)]);
    await refuse(numbers(20, 10));
    await settleRefusals(database, lease, rules, moment);
    const before = await doubted();
    await refuse(numbers(5, 32));
    expect(await doubted()).toEqual(before);
  });

  test.each([undefined, 'open'] as const)(
    'are withheld at once, and deleted as soon as anybody looks, be they stated as %s',
    async (access) => {
      await publish(40, access);
      expect(await calledFor()).toBe(false);
      await refuse([3]);
      await refuse([4], 'gone');
      expect(await listWithheldFiles(database.reader, lease.sourceId)).toMatchObject([
        { url: urlOf(3), outcome: 'refused', since: now },
        { url: urlOf(4), outcome: 'gone', since: now },
      ]);
      expect(await calledFor()).toBe(true);
      expect(await settleRefusals(database, lease, rules, moment)).toEqual({
        created: 0,
        updated: 0,
        deleted: 2,
      });
      expect(await living()).toBe(38);
      expect(await listWithheldFiles(database.reader, lease.sourceId)).toEqual([]);
      expect(await calledFor()).toBe(false);
    },
  );

  test('stay when they are too many, whatever is delivered meanwhile, and are asked for now and then', async () => {
    await publish(40);
    await refuse(numbers(5));
    const before = await living();
    for (let round = 0; round < 3; round += 1) {
      await settle(database, lease, rules, moment);
      await deliver();
      expect(await living()).toBe(before);
    }
    const counts = await countWithheldFiles(database.reader, lease.sourceId);
    expect(counts).toEqual({ refused: 5, gone: 0, atPrivateAddresses: 0, fuseAt: now });
    expect((await listWithheldFiles(database.reader, lease.sourceId, { limit: 2 })).length).toBe(2);
    // Later and later.
    const waits: number[] = [];
    let last = Date.parse(now);
    for (let seconds = 0; seconds < 7200 && waits.length < 4; seconds += 20) {
      pass(20);
      if (!(await calledFor())) continue;
      waits.push((Date.parse(now) - last) / 1000);
      last = Date.parse(now);
      await settleRefusals(database, lease, rules, moment);
      const due = await listDueFiles(database.reader, lease.sourceId, now, 100);
      expect(due.length).toBeGreaterThanOrEqual(5);
      await refuse(numbers(5));
    }
    expect(waits).toEqual([60, 60, 120, 240]);
    expect(await living()).toBe(before);
  });

  test('and come back are handed out again, and the others are asked for at once', async () => {
    await publish(40);
    await refuse(numbers(10));
    await settle(database, lease, rules, moment);
    pass(100);
    await refuse([0], 'confirmed');
    const due = await listDueFiles(database.reader, lease.sourceId, now, 100);
    expect(due.map(({ url }) => url).sort()).toEqual(numbers(9, 1).map(urlOf).sort());
    await refuse(numbers(9, 1), 'confirmed');
    expect(await settle(database, lease, rules, moment)).toEqual({ created: 0, updated: 0, deleted: 0 });
    expect(await countWithheldFiles(database.reader, lease.sourceId)).toEqual({
      refused: 0,
      gone: 0,
      atPrivateAddresses: 0,
      fuseAt: undefined,
    });
    expect(await living()).toBe(40);
  });

  test('one after the other are counted together, and those of another day are not', async () => {
    await publish(40);
    for (const number of numbers(4)) {
      pass(60);
      await refuse([number]);
      await settle(database, lease, rules, moment);
    }
    expect(await living()).toBe(36);
    await refuse([4]);
    await settle(database, lease, rules, moment);
    expect(await living()).toBe(36);
    pass(2 * 86_400);
    await settle(database, lease, rules, moment);
    expect(await living()).toBe(36);
    await refuse([39], 'confirmed');
    await settle(database, lease, rules, moment);
    expect(await living()).toBe(35);
  });

  test('and nothing but these is heard: others are asked for before any is deleted', async () => {
    await publish(200);
    pass(60);
    await refuse(numbers(4));
    await settle(database, lease, rules, moment);
    expect(await living()).toBe(196);
    await refuse(numbers(3, 4));
    await settle(database, lease, rules, moment);
    expect(await living()).toBe(196);
    const others = await listProbes(database.reader, lease.sourceId, now);
    expect(others).toHaveLength(20);
    pass(5);
    expect(await calledFor()).toBe(true);
    // Its server hands out others: it is about these files alone.
    await saveRemoteFiles(
      database,
      lease.sourceId,
      others.map(({ url }) => ({ ...answer(0, 'confirmed'), url })),
    );
    await settle(database, lease, rules, moment);
    expect(await living()).toBe(193);
  });

  test('go when a person has looked: those that were shown, and no others', async () => {
    await publish(40);
    await refuse(numbers(10));
    await settle(database, lease, rules, moment);
    const shown = now;
    pass(1);
    await refuse(numbers(10, 20));
    expect(await acceptRefusals(database, lease.sourceId, shown, now)).toBe(10);
    await settle(database, lease, rules, moment);
    expect(await living()).toBe(30);
    expect(await countWithheldFiles(database.reader, lease.sourceId)).toMatchObject({ refused: 10 });
    await refuse([19]);
    pass(60);
    await settle(database, lease, rules, moment);
    expect(await living()).toBe(30);
  });

  test('that the repository itself says are restricted go, however many they are', async () => {
    await publish(40);
    await refuse(numbers(20));
    const restricted = { ...rules, mode: 'proxy' } as const;
    await settle(database, lease, restricted, moment);
    expect(await living()).toBe(40);
    await database.writer('item_file').where({ source_id: lease.sourceId }).update({ access: 'restricted' });
    await database.writer('item').where({ source_id: lease.sourceId }).update({ unsettled: 1 });
    await settle(database, lease, rules, moment);
    expect(await living()).toBe(0);
    expect(await countWithheldFiles(database.reader, lease.sourceId)).toMatchObject({ refused: 0 });
  });

  test('no answer from before a refusal makes that undone, and no delivery meanwhile is forgotten', async () => {
    await publish(5);
    const older = answer(1, 'confirmed');
    pass(10);
    await refuse([1]);
    await saveRemoteFiles(database, lease.sourceId, [older]);
    const find = async (number: number) =>
      (await findRemoteFiles(database.reader, lease.sourceId, [urlOf(number)])).get(urlOf(number));
    expect((await find(1))?.outcome).toBe('refused');
    const read = await find(2);
    pass(10);
    await deliver();
    await saveRemoteFiles(database, lease.sourceId, [{ ...answer(2, 'confirmed'), dueBefore: read?.dueAt }]);
    expect((await find(2))?.dueAt).toBe(now);
  });

  test('are nobody to decide about where files are not published any more', async () => {
    await publish(3);
    await refuse([1]);
    const none = { ...rules, mode: 'none' } as const;
    await settle(database, lease, none, moment);
    // What is held back stays so, whatever becomes of the rules.
    expect(await calledFor()).toBe(true);
    expect(await countWithheldFiles(database.reader, lease.sourceId)).toMatchObject({ refused: 1 });
    await deliver();
    await settle(database, lease, rules, moment);
    expect(await living()).toBe(2);
    expect(await calledFor()).toBe(false);
  });
});
