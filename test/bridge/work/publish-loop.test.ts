import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Bridge } from '../../../src/bridge/bridge.ts';
import { restAfterList } from '../../../src/bridge/work/list-renewal.ts';
import { type PublishLoop, startPublishLoop } from '../../../src/bridge/work/publish-loop.ts';
import { untracked } from '../../../src/core/under-way.ts';
import type { Publisher } from '../../../src/publish/publisher.ts';
import { withdraw } from '../../../src/store/removal/withdrawals.ts';
import { readJournal } from '../../../src/store/sources/journal.ts';
import { completePass } from '../../../src/store/sources/sources.ts';
import { LivingSource } from '../../house/publish/living-source.ts';
import { textOf } from '../../house/publish/reading.ts';
import { silent } from '../../house/publish/seed.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

/** How soon Resource Lists follow, by a clock that only the test moves. */
describeOnBoth('the publication of a living source', (open) => {
  let living: LivingSource;
  let loop: PublishLoop | undefined;
  let ending: AbortController;
  /** What rendering a Resource List is said to have taken: that of a machine under load. */
  let renderingMs = 0;
  let renderings = 0;
  /** Of the journal, when the last round of publishing had begun. */
  let publishedUpTo = 0;

  beforeEach(async () => {
    living = await LivingSource.begin(open().database);
    ending = new AbortController();
    renderingMs = 0;
    renderings = 0;
    const { database } = open();
    await living.deliver('first');
    const row = await database.writer('source').where({ name: living.name }).first('id');
    await completePass(database.writer, row.id, { asOf: 'x', fullAt: undefined, selection: '{}' });
  });
  afterEach(async () => {
    ending.abort();
    await loop?.stop();
    loop = undefined;
    await living.end();
  });

  const set = () => living.set('metadata');

  function start(entries?: number): void {
    const publisher = living.publisher();
    const underLoad: Publisher = {
      ...publisher,
      publish: async (...args) => {
        const journal = await readJournal(open().database.reader, living.name);
        const report = await publisher.publish(...args);
        publishedUpTo = journal?.seq ?? 0;
        const documents = report.documents.map((document) => {
          if (document.path !== `${set().path}/resourcelist.xml`) return document;
          renderings += 1;
          return { ...document, ms: renderingMs, entries: entries ?? document.entries };
        });
        return { ...report, documents };
      },
    };
    const bridge = {
      database: open().database,
      publisher: underLoad,
      publication: living.publication,
      clock: { now: () => living.clock.now(), sleep: () => sleep(5) },
      log: silent,
      presence: { begin: () => untracked },
      config: { publish: { changeListMinutes: 1440 } },
      sets: () => [set()],
    } as unknown as Bridge;
    loop = startPublishLoop(bridge, ending.signal);
  }

  const after = (seconds: number) =>
    living.clock.set(new Date(living.clock.now().getTime() + seconds * 1000).toISOString());
  const listed = async (name: string) =>
    (await textOf(living.publication, `${set().path}/resourcelist.xml`).catch(() => '')).includes(name);
  const changed = async (name: string) =>
    (await textOf(living.publication, `${set().path}/changelist.xml`).catch(() => '')).includes(name);
  const soon = (condition: () => Promise<boolean>) =>
    vi.waitFor(async () => expect(await condition()).toBe(true), { timeout: 120_000, interval: 20 });

  it('a list of one document follows within a minute, whatever its rendering takes', async () => {
    renderingMs = 5500;
    start();
    await soon(() => listed('first'));
    after(10);
    await living.deliver('second');
    await soon(() => changed('second'));
    expect(await listed('second')).toBe(false);
    // It rests, so that what is cheap to leave for a while does not take all the time,
    after(30);
    await living.deliver('third');
    await soon(() => changed('third'));
    expect(await listed('second')).toBe(false);
    // and yet whoever compares the two within a minute finds them in sync.
    after(20);
    await soon(() => listed('second'));
    expect(await listed('third')).toBe(true);
  });

  it('a longer one keeps to its schedule, unless it names what is not public any more', async () => {
    const { database } = open();
    renderingMs = 20_000;
    start(60_000);
    await soon(() => listed('first'));
    after(3600);
    await living.deliver('second');
    await soon(() => changed('second'));
    after(3600);
    await living.deliver('third');
    await soon(() => changed('third'));
    expect(renderings).toBe(1);
    // As `rsbridge withdraw` does it.
    after(1);
    const target = { source: living.name, identifier: 'first', path: undefined };
    await withdraw(database, target, undefined, living.clock.now().toISOString());
    await living.settle();
    await soon(async () => renderings === 2);
    expect(await listed('items/first/')).toBe(false);
    // For no more than a tenth of the time.
    after(100);
    await withdraw(
      database,
      { ...target, identifier: 'second' },
      undefined,
      living.clock.now().toISOString(),
    );
    await living.settle();
    const journal = await readJournal(database.writer, living.name);
    await soon(async () => publishedUpTo >= (journal?.seq ?? Number.POSITIVE_INFINITY));
    expect(renderings).toBe(2);
    after(100);
    await soon(async () => renderings === 3);
    expect(await listed('items/second/')).toBe(false);
  });
});

it('rests are bounded by what clients see', () => {
  const rest = (ms: number, entries = 1300) => restAfterList({ entries, ms });
  expect(rest(10)).toBe(500);
  for (const ms of [0, 100, 1000, 5500, 20_000, 29_000])
    expect(rest(ms) + 2 * ms).toBeLessThanOrEqual(80_000);
  for (const ms of [0, 100, 1000, 5500, 20_000, 49_000]) expect(rest(ms) + ms).toBeLessThanOrEqual(50_000);
  expect(rest(600_000)).toBe(0);
  expect(rest(25_000, 1_000_000)).toBe(250_000);
});
