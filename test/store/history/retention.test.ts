import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addSeconds, earlier } from '../../../src/core/datetime.ts';
import { resourceSets } from '../../../src/core/resource-set.ts';
import type { Keep } from '../../../src/core/time/retention.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { listLivingStates } from '../../../src/store/history/resource-states.ts';
import { applyRetention } from '../../../src/store/history/retention.ts';
import { removeUnreferenced } from '../../../src/store/payloads/unreferenced-blobs.ts';
import { lastUnkeptChange, listChanges, listResources } from '../../../src/store/reading/listing.ts';
import { readJournal } from '../../../src/store/sources/journal.ts';
import { runs } from '../../house/runs.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { countGivenUp } from '../../house/store/given-up.ts';
import { contentOf, Lives } from '../../house/store/lives.ts';
import { findHistory } from '../../house/store/one-history.ts';
import { readBlob } from '../../house/store/read-blob.ts';

let sources = 0;

const start = '2026-01-01T00:00:00Z';
const day = 86_400;
const nobodyFollows: ReadonlyMap<number, number> = new Map();

describeOnBoth('retention', (open) => {
  const begin = (kin?: Lives) => {
    sources += 1;
    return Lives.begin(open().database, `source-${sources}`, start, kin?.source);
  };
  const apply = (lives: Lives, keep: Keep) => applyRetention(lives.database, lives.lease, keep, lives.clock);
  const remove = (lives: Lives, followedUpTo = nobodyFollows) =>
    removeUnreferenced({ database: lives.database, directory: '/nowhere', followedUpTo, now: lives.now });

  /** What the mementos of a record say, oldest first. */
  async function read(lives: Lives, record = 1): Promise<readonly string[]> {
    const history = await findHistory(lives.database.reader, lives.pathOf(record));
    const texts: string[] = [];
    for (const { hash } of history?.timeline.mementos ?? []) {
      const content = await readBlob(lives.database.reader, hash ?? '');
      texts.push(/<dc:title>(\d+)</.exec(Buffer.from(content ?? []).toString())?.[1] ?? 'no bytes');
    }
    return texts;
  }

  /** Versions 1 to `last`, one a day. */
  async function liveThrough(lives: Lives, last: number, record = 1): Promise<void> {
    for (let content = 1; content <= last; content += 1) {
      await lives.store({ [record]: content });
      lives.pass(day);
    }
  }

  test('`all` writes nothing at all', async () => {
    const lives = await begin();
    await liveThrough(lives, 3);
    expect(await apply(lives, 'all')).toEqual({ givenUp: 0, broughtBack: 0 });
    const row = await lives.database.reader('source').where({ name: lives.source }).first('retention');
    expect(row).toEqual({ retention: null });
    expect(await countGivenUp(lives.database.reader, lives.lease.sourceId)).toBe(0);
  });

  test('`last` gives up what is between the first and the newest, at once; bytes go days later', async () => {
    const lives = await begin();
    await liveThrough(lives, 5);
    expect(await apply(lives, { last: 2 })).toEqual({ givenUp: 2, broughtBack: 0 });
    expect(await read(lives)).toEqual(['1', '4', '5']);
    const dropped = (await findHistory(lives.database.reader, lives.pathOf(1)))?.timeline.dropped;
    expect(dropped).toEqual([addSeconds(start, day), addSeconds(start, 2 * day)]);

    expect(await remove(lives)).toEqual({ contents: 0, bytes: 0 });
    lives.pass(3 * day);
    const removed = await remove(lives);
    expect(removed.contents).toBe(2);
    expect(removed.bytes).toBeGreaterThan(0);
    // A new Change Dump can only begin behind these.
    const set = resourceSets(lives.source).find(({ filter }) => filter.kind === 'metadata');
    expect(set && (await lastUnkeptChange(lives.database.reader, set))).toBe(3);
    expect(await read(lives)).toEqual(['1', '4', '5']);
    expect(await remove(lives)).toEqual({ contents: 0, bytes: 0 });
    expect(await countGivenUp(lives.database.reader, lives.lease.sourceId)).toBe(2);
  });

  test('of a deleted resource the first and the last state stay, and so do the deletions', async () => {
    const lives = await begin();
    await liveThrough(lives, 4);
    await lives.store({ 1: undefined });
    lives.pass(100 * day);
    await lives.store({ 2: 1 });
    expect(await apply(lives, { days: 30 })).toMatchObject({ givenUp: 2 });
    lives.pass(5 * day);
    await remove(lives);
    expect(await read(lives)).toEqual(['1', '4']);
    const history = await findHistory(lives.database.reader, lives.pathOf(1));
    expect(history?.timeline.gaps).toEqual([{ from: addSeconds(start, 4 * day), until: undefined }]);
  });

  test('another `keep` counts for everything, and brings back what is still on the disk', async () => {
    const lives = await begin();
    await liveThrough(lives, 6);
    await apply(lives, { last: 1 });
    expect(await read(lives)).toEqual(['1', '6']);
    expect(await apply(lives, { last: 3 })).toEqual({ givenUp: 2, broughtBack: 4 });
    expect(await read(lives)).toEqual(['1', '4', '5', '6']);
    lives.pass(4 * day);
    await remove(lives);
    expect(await apply(lives, 'all')).toEqual({ givenUp: 0, broughtBack: 0 });
    expect(await read(lives)).toEqual(['1', '4', '5', '6']);
    expect(await apply(lives, 'all')).toEqual({ givenUp: 0, broughtBack: 0 });
    expect(await countGivenUp(lives.database.reader, lives.lease.sourceId)).toBe(2);
  });

  test('a clock that was ahead for a moment costs nothing', async () => {
    const lives = await begin();
    await liveThrough(lives, 6);
    const right = lives.now;
    lives.now = addSeconds(right, 1000 * day);
    // Nothing happens meanwhile: the journal knows better.
    expect(await apply(lives, { days: 30 })).toMatchObject({ givenUp: 0 });
    // Something does, and the journal stays ahead.
    await lives.store({ 2: 1 });
    expect(await apply(lives, { days: 30 })).toMatchObject({ givenUp: 4 });
    await remove(lives);
    lives.now = addSeconds(right, day);
    expect(await apply(lives, { days: 30 })).toEqual({ givenUp: 0, broughtBack: 4 });
    await lives.store({ 2: 2 });
    expect(await apply(lives, { days: 30 })).toEqual({ givenUp: 0, broughtBack: 0 });
    expect(await read(lives)).toEqual(['1', '2', '3', '4', '5', '6']);
  });

  test('bytes that come again are not removed, and can be given up again', async () => {
    const lives = await begin();
    await liveThrough(lives, 4);
    await apply(lives, { last: 1 });
    lives.pass(4 * day);
    await lives.store({ 2: 3 });
    expect((await remove(lives)).contents).toBe(1);
    expect(await read(lives, 2)).toEqual(['3']);
    for (const content of [5, 6]) {
      lives.pass(day);
      await lives.store({ 2: content });
    }
    lives.pass(40 * day);
    await remove(lives);
    expect(await read(lives, 2)).toEqual(['3', '5', '6']);
  });

  test('what another source has stays with it', async () => {
    const one = await begin();
    const other = await begin(one);
    await liveThrough(one, 4);
    await liveThrough(other, 4);
    await apply(one, { last: 1 });
    one.pass(4 * day);
    expect((await remove(one)).contents).toBe(0);
    expect(await read(other)).toEqual(['1', '2', '3', '4']);
    await apply(other, { last: 1 });
    one.pass(40 * day);
    expect((await remove(one)).contents).toBe(2);
    expect(await read(other)).toEqual(['1', '4']);
  });

  test('what a package or an export still has to read stays until it was', async () => {
    const lives = await begin();
    await liveThrough(lives, 5);
    await apply(lives, { last: 1 });
    lives.pass(10 * day);
    // Version 3 was ended by change 4.
    expect((await remove(lives, new Map([[lives.lease.sourceId, 3]]))).contents).toBe(1);
    lives.pass(2 * day);
    expect((await remove(lives, new Map([[lives.lease.sourceId, 5]]))).contents).toBe(2);
    expect(await read(lives)).toEqual(['1', '5']);
  });

  const keeps: fc.Arbitrary<Keep> = fc.oneof(
    fc.record({ last: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ days: fc.integer({ min: 1, max: 8 }) }),
  );
  const seconds = fc.constantFrom(0, 0, 1, 3600, day, 2 * day, 5 * day);
  const doing = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('store' as const),
        record: fc.integer({ min: 1, max: 3 }),
        content: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined, freq: 6 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('apply' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const) }) },
  );
  const deeds = fc.array(fc.tuple(seconds, doing), { minLength: 5, maxLength: 30 });

  test('whatever happens: what `keep` covers stays, with its bytes, and nothing else does', async () => {
    await fc.assert(
      fc.asyncProperty(keeps, deeds, fc.nat(30), async (keep, history, followed) => {
        const lives = await begin();
        const places = new Map([[lives.lease.sourceId, followed]]);
        const model = new Model();
        for (const [gap, deed] of history) {
          lives.pass(gap);
          if (deed.do === 'apply') await apply(lives, keep);
          else if (deed.do === 'remove') await remove(lives, places);
          else {
            await lives.store({ [deed.record]: deed.content });
            model.store(deed.record, deed.content, lives.now);
          }
        }
        const before = await documentsOf(lives);
        await apply(lives, keep);
        lives.pass(5 * day);
        await remove(lives, places);
        expect(await documentsOf(lives)).toEqual(before);
        await expectReadable(lives, followed);

        const journal = await readJournal(lives.database.reader, lives.source);
        const at = earlier(addSeconds(lives.now, -5 * day), journal?.at ?? '');
        for (const record of [1, 2, 3]) {
          expect(await read(lives, record), `record ${record}`).toEqual(model.kept(record, keep, at));
        }
        // Again, and when nobody needs anything any more: only what is referred to is there.
        lives.pass(40 * day);
        await remove(lives);
        for (const record of [1, 2, 3]) {
          expect(await read(lives, record)).toEqual(model.kept(record, keep, at));
        }
        expect(await unreferenced(lives.database)).toEqual([]);
        expect((await remove(lives)).contents).toBe(0);
      }),
      { numRuns: runs(8) },
    );
  }, 240_000);

  test('whatever is configured meanwhile: first and current stay, and what is shown has its bytes', async () => {
    const changing = fc.array(fc.tuple(seconds, doing, fc.oneof(keeps, fc.constant('all' as const))), {
      minLength: 10,
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(changing, async (history) => {
        const lives = await begin();
        const model = new Model();
        for (const [gap, deed, keep] of history) {
          lives.pass(gap);
          if (deed.do === 'apply') await apply(lives, keep);
          else if (deed.do === 'remove') await remove(lives);
          else {
            await lives.store({ [deed.record]: deed.content });
            model.store(deed.record, deed.content, lives.now);
          }
        }
        for (const record of [1, 2, 3]) {
          const all = model.kept(record, 'all', lives.now);
          const shown = await read(lives, record);
          expect(shown).not.toContain('no bytes');
          expect([shown[0], shown.at(-1)]).toEqual([all[0], all.at(-1)]);
        }
      }),
      { numRuns: runs(8) },
    );
  }, 240_000);
});

/** The same said in another way. */
class Model {
  readonly #records = new Map<number, { at: string; content: number | undefined }[]>();

  store(record: number, content: number | undefined, at: string): void {
    const steps = this.#records.get(record) ?? [];
    if (steps.at(-1)?.content === content) return;
    this.#records.set(record, [...steps, { at, content }]);
  }

  kept(record: number, keep: Keep, now: string): readonly string[] {
    const steps = this.#records.get(record) ?? [];
    const seen = steps.filter(({ at, content }, index) => {
      const hidden = steps.slice(index + 1).some((later) => later.at === at && later.content !== undefined);
      return content !== undefined && !hidden;
    });
    const endOf = (step: (typeof steps)[number]) =>
      steps.slice(steps.indexOf(step) + 1).find(({ content }) => content !== undefined)?.at ?? '9999';
    return seen
      .filter((step, index) => {
        if (keep === 'all' || index === 0 || index === seen.length - 1) return true;
        return 'last' in keep
          ? index >= seen.length - keep.last
          : endOf(step) >= addSeconds(now, -keep.days * day);
      })
      .map(({ content }) => String(content));
  }
}

/** What is rendered from the journal. */
async function documentsOf({ database, source }: Lives): Promise<unknown> {
  const [set] = resourceSets(source);
  if (!set) throw new Error('a source has a set');
  const entries: unknown[] = [];
  for await (const page of listChanges(database.reader, set, { afterSeq: 0 })) entries.push(...page);
  for await (const page of listResources(database.reader, set)) entries.push(...page);
  for (const seq of [1, 5, 20]) {
    for await (const page of listLivingStates(database.reader, source, seq)) entries.push(...page);
  }
  return entries;
}

/** Everything that is still to be packed, and everything as it was where packing stands. */
async function expectReadable({ database, source }: Lives, followed: number): Promise<void> {
  const [set] = resourceSets(source);
  if (!set) throw new Error('a source has a set');
  const hashes: (string | undefined)[] = [];
  for await (const page of listChanges(database.reader, set, { afterSeq: followed })) {
    hashes.push(...page.filter(({ change }) => change !== 'deleted').map(({ hash }) => hash));
  }
  for await (const page of listLivingStates(database.reader, source, followed)) {
    hashes.push(...page.map(({ hash }) => hash));
  }
  for (const hash of hashes) expect(await readBlob(database.reader, hash ?? '')).toBeDefined();
}

async function unreferenced({ reader }: Database): Promise<readonly string[]> {
  const rows: { hash: string }[] = await reader('blob')
    .select('hash')
    .whereNotIn('hash', reader('version').select('hash').whereNull('dropped_at').whereNotNull('hash'))
    .whereNotIn('hash', reader('blob').select('base').whereNotNull('base'));
  return rows.map(({ hash }) => hash);
}

test('the contents of these tests are small edits of one another', () => {
  expect(contentOf(1).length).toBeGreaterThan(1000);
  expect(contentOf(1)).not.toBe(contentOf(2));
});
