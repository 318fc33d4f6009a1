import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countSome } from '../../../migrations/0098-published-items.ts';
import { addSeconds } from '../../../src/core/datetime.ts';
import { mapItem } from '../../../src/core/mapping/mapping.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { settle } from '../../../src/store/pages/settle.ts';
import { storePage } from '../../../src/store/pages/store-page.ts';
import { countItems, removeItem, sweep } from '../../../src/store/pages/sweep.ts';
import { takePrivateSets } from '../../../src/store/removal/private-items.ts';
import { deleteAll, purgeSource } from '../../../src/store/removal/removed-sources.ts';
import { endWithdrawals, withdraw } from '../../../src/store/removal/withdrawals.ts';
import { acquireLease, type Lease } from '../../../src/store/runs/leases.ts';
import { startRun } from '../../../src/store/runs/runs.ts';
import { countSource, ensureSource } from '../../../src/store/sources/sources.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const rules = { mode: 'proxy', perItem: 10, verify: false, landingPages: false } as const;
const { signal } = new AbortController();
const formats = ['oai_dc', 'jpcoar'] as const;
const hidden = 'hidden';

/** What a repository tells of an item. */
interface Told {
  readonly item: number;
  /** It tells of these… */
  readonly of?: readonly string[];
  /** …and has these of them. */
  readonly has?: readonly string[];
  readonly content?: number;
  readonly collection?: string;
  readonly refused?: boolean;
  readonly withFile?: boolean;
}

let sources = 0;

class CountedSource {
  readonly database: Database;
  readonly name: string;
  #lease: Lease | undefined;
  #now = '2026-11-21T10:00:00Z';

  constructor(database: Database) {
    sources += 1;
    this.database = database;
    this.name = `counted-${sources}`;
  }

  async begin(): Promise<this> {
    await ensureSource(this.database, this.name, this.#now);
    this.#lease = await acquireLease(this.database, this.name, Date.parse(this.#now));
    return this;
  }

  get lease(): Lease {
    if (!this.#lease) throw new Error('it has not begun');
    return this.#lease;
  }

  get id(): number {
    return this.lease.sourceId;
  }

  readonly now = () => ({ iso: this.#now, milliseconds: Date.parse(this.#now) });

  pathOf = (item: number, format: string) => `${this.name}/items/id:${item}/${format}.xml`;

  async #run(mode: 'full' | 'incremental') {
    this.#now = addSeconds(this.#now, 60);
    const run = { sourceId: this.id, mode, selection: '{}', since: undefined, startedAt: this.#now } as const;
    return startRun(this.database.writer, run);
  }

  async tell(told: readonly Told[], mode: 'full' | 'incremental' = 'incremental') {
    const run = await this.#run(mode);
    const items = told.map((one) => this.#item(one));
    await storePage(
      this.database,
      this.lease,
      run,
      { items, problems: [], checkpoint: undefined, files: rules },
      this.now(),
    );
    return run;
  }

  #item({
    item,
    of = ['oai_dc'],
    has = of,
    content = 0,
    collection = 'open',
    refused = false,
    withFile = false,
  }: Told) {
    const identifier = `id:${item}`;
    const files = withFile
      ? [{ url: `https://x.example.org/${item}.pdf`, name: 'a.pdf', sequence: 1, access: 'open' as const }]
      : [];
    return mapItem(this.name, {
      identifier,
      datestamp: this.#now,
      collections: [collection],
      speaksFor: { formats: [...of], files: withFile ? { name: 'oai_dc', rank: 95 } : undefined },
      deleted: refused || has.length === 0,
      refused,
      metadata: refused
        ? []
        : has.map((format) => ({ format, content: Buffer.from(`<r>${item} ${format} ${content}</r>`) })),
      files,
    });
  }

  /** A whole list has just these. */
  async pass(items: readonly number[]): Promise<void> {
    const run = await this.tell(
      items.map((item) => ({ item })),
      'full',
    );
    await sweep(this.database, this.lease, run.id, {}, this.now, signal);
  }

  async remove(item: number): Promise<void> {
    const run = await this.#run('incremental');
    await removeItem(this.database, this.lease, run, `id:${item}`, this.now());
  }

  async withdraw(item: number, format: string | undefined): Promise<void> {
    this.#now = addSeconds(this.#now, 60);
    const path = format && this.pathOf(item, format);
    await withdraw(
      this.database,
      { source: this.name, identifier: `id:${item}`, path },
      undefined,
      this.#now,
    );
  }

  async restore(item: number): Promise<void> {
    await endWithdrawals(
      this.database,
      [undefined, ...formats].map((format) => ({
        ...{ source: this.name, identifier: `id:${item}` },
        path: format && this.pathOf(item, format),
      })),
    );
  }

  async hide(...collections: string[]): Promise<void> {
    this.#now = addSeconds(this.#now, 60);
    await takePrivateSets(this.database, new Map([[this.name, collections]]), this.#now);
  }

  async settle(): Promise<void> {
    this.#now = addSeconds(this.#now, 60);
    await settle(this.database, this.lease, rules, this.now);
  }

  async items(): Promise<number> {
    return (await countSource(this.database.writer, this.id, this.#now)).items;
  }

  /** Counted one by one. */
  truth = () => countItems(this.database.writer, this.id);

  state = () =>
    this.database
      .writer('source')
      .where({ id: this.id })
      .first('journal_seq', 'published_items', 'published_seq', 'published_to');

  /** What somebody does who does not count items. */
  async asBefore(work: () => Promise<unknown>): Promise<void> {
    const { journal_seq: _, ...published } = await this.state();
    await work();
    const { journal_seq, published_items, ...now } = await this.state();
    if (published.published_seq === journal_seq) return;
    await this.database
      .writer('source')
      .where({ id: this.id })
      .update({ ...now, ...published });
  }

  /** All of it is to be counted. */
  async forget(): Promise<void> {
    await this.database.writer('source').where({ id: this.id }).update({ published_seq: -1 });
  }

  /** @returns whether there was anything to be counted */
  count = (resources: number) => this.database.transaction((trx) => countSome(trx, resources));

  async countAll(resources: number): Promise<void> {
    while (await this.count(resources));
  }

  /** What is said of it is true of what has been counted. */
  async expectRight(): Promise<void> {
    const { journal_seq, published_items, published_seq, published_to } = await this.state();
    if (published_seq !== journal_seq) return;
    const [row] = await this.database
      .writer('resource')
      .where({ source_id: this.id, kind: 'metadata' })
      .whereNull('deleted_at')
      .modify((query) => {
        if (published_to !== null) query.where('id', '<=', published_to);
      })
      .countDistinct({ count: 'item_id' });
    expect(published_items).toBe(Number(row?.count));
  }
}

const some = fc.uniqueArray(fc.constantFrom(...formats), { minLength: 1 });
const told = fc.record({
  item: fc.nat({ max: 4 }),
  of: some,
  has: fc.uniqueArray(fc.constantFrom(...formats)),
  content: fc.nat({ max: 1 }),
  collection: fc.constantFrom('open', 'open', hidden),
  refused: fc.constantFrom(false, false, false, true),
  withFile: fc.boolean(),
});
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('tell' as const),
      told: fc.array(told, { minLength: 1, maxLength: 4 }),
      isBefore: fc.constantFrom(false, false, false, true),
    }),
  },
  fc.record({ kind: fc.constant('pass' as const), items: fc.uniqueArray(fc.nat({ max: 4 })) }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('forget' as const) }) },
  fc.record({ kind: fc.constant('remove' as const), item: fc.nat({ max: 4 }) }),
  fc.record({
    kind: fc.constant('withdraw' as const),
    item: fc.nat({ max: 4 }),
    format: fc.constantFrom(undefined, ...formats),
  }),
  fc.record({ kind: fc.constant('restore' as const), item: fc.nat({ max: 4 }) }),
  fc.record({ kind: fc.constant('hide' as const), isHidden: fc.boolean() }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('settle' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('count' as const), resources: fc.integer({ min: 1, max: 4 }) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

async function take(source: CountedSource, one: Step): Promise<void> {
  if (one.kind === 'tell') {
    const page = one.told.map(({ has, of, ...rest }) => ({
      ...{ ...rest, of },
      has: has.filter((format) => of.includes(format)),
    }));
    if (one.isBefore) await source.asBefore(() => source.tell(page));
    else await source.tell(page);
  } else if (one.kind === 'pass') await source.pass(one.items);
  else if (one.kind === 'remove') await source.remove(one.item);
  else if (one.kind === 'withdraw') await source.withdraw(one.item, one.format);
  else if (one.kind === 'restore') await source.restore(one.item);
  else if (one.kind === 'hide') await source.hide(...(one.isHidden ? [hidden] : []));
  else if (one.kind === 'forget') await source.forget();
  else if (one.kind === 'settle') await source.settle();
  else await source.count(one.resources);
}

describeOnBoth('the number of published items', (open) => {
  const begin = () => new CountedSource(open().database).begin();

  test('is that of those that are counted, whatever happens', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 25 }), async (steps) => {
        const source = await begin();
        for (const one of steps) {
          await take(source, one);
          await source.expectRight();
        }
        await source.countAll(2);
        expect(await source.items()).toBe(await source.truth());
      }),
      { numRuns: 25 },
    );
  });

  test('follows what is delivered, deleted and delivered again', async () => {
    const source = await begin();
    await source.tell([{ item: 1 }, { item: 2 }, { item: 3, has: [] }]);
    expect(await source.items()).toBe(2);
    await source.tell([{ item: 1, has: [] }]);
    expect(await source.items()).toBe(1);
    await source.tell([{ item: 1, has: [] }, { item: 3 }]);
    expect(await source.items()).toBe(2);
    await source.tell([{ item: 1 }]);
    expect(await source.items()).toBe(3);
  });

  test('counts an item once, as long as one of its formats lives', async () => {
    const source = await begin();
    await source.tell([{ item: 1 }, { item: 2 }]);
    await source.tell([
      { item: 1, of: ['jpcoar'] },
      { item: 2, of: ['jpcoar'] },
    ]);
    expect(await source.items()).toBe(2);
    await source.tell([{ item: 1, has: [] }]);
    expect(await source.items()).toBe(2);
    await source.tell([{ item: 1, of: ['jpcoar'], has: [] }]);
    expect(await source.items()).toBe(1);
  });

  test('is without what was withdrawn, and with what was restored', async () => {
    const source = await begin();
    await source.tell([{ item: 1, of: formats }, { item: 2 }]);
    await source.withdraw(1, 'oai_dc');
    await source.settle();
    expect(await source.items()).toBe(2);
    await source.withdraw(1, undefined);
    await source.settle();
    expect(await source.items()).toBe(1);
    await source.restore(1);
    await source.tell([{ item: 1, of: formats, content: 1 }]);
    expect(await source.items()).toBe(2);
  });

  test('is without what its repository refuses, as long as it does', async () => {
    const source = await begin();
    await source.tell([{ item: 1 }, { item: 2 }]);
    await source.tell([{ item: 1, refused: true }]);
    expect(await source.items()).toBe(1);
    await source.tell([{ item: 1 }]);
    expect(await source.items()).toBe(2);
  });

  test('is without what is private', async () => {
    const source = await begin();
    await source.tell([{ item: 1, collection: hidden }, { item: 2 }]);
    await source.hide(hidden);
    await source.settle();
    expect(await source.items()).toBe(1);
    await source.tell([
      { item: 2, collection: hidden },
      { item: 3, collection: hidden },
    ]);
    expect(await source.items()).toBe(0);
    await source.hide();
    await source.tell([1, 2, 3].map((item) => ({ item, content: 1 })));
    expect(await source.items()).toBe(3);
  });

  test('is without what vanished, and of a source that is removed nothing is left', async () => {
    const source = await begin();
    await source.tell([1, 2, 3, 4].map((item) => ({ item, withFile: true })));
    await source.pass([1, 2]);
    expect(await source.items()).toBe(2);
    await source.remove(2);
    expect(await source.items()).toBe(1);
    await deleteAll(source.database, source.lease, source.now, signal);
    expect(await source.items()).toBe(0);
    await purgeSource(source.database, source.lease, source.now, signal);
    await source.begin();
    await source.tell([{ item: 1 }]);
    expect(await source.items()).toBe(1);
  });

  test('is that of all that are known until what somebody of before has changed is counted', async () => {
    const source = await begin();
    await source.tell([1, 2, 3].map((item) => ({ item })));
    await source.asBefore(() => source.tell([{ item: 1, has: [] }, { item: 4 }]));
    expect(await source.items()).toBe(4);
    await source.tell([{ item: 5 }]);
    expect(await source.items()).toBe(5);
    await source.count(2);
    await source.tell([{ item: 2, has: [] }, { item: 6 }]);
    expect(await source.items()).toBe(6);
    await source.countAll(2);
    expect(await source.items()).toBe(4);
  });

  test('is right where only some are counted by now, whatever becomes of these and others', async () => {
    const source = await begin();
    const three = [1, 2, 3];
    await source.tell(three.map((item) => ({ item })));
    await source.tell(three.map((item) => ({ item, of: ['jpcoar'] })));
    await source.tell([4, 5, 6].map((item) => ({ item })));
    await source.forget();
    await source.count(4);
    await source.expectRight();
    // Its second format is not counted yet.
    await source.withdraw(2, 'oai_dc');
    await source.settle();
    await source.expectRight();
    await source.remove(3);
    await source.expectRight();
    await source.remove(4);
    await source.expectRight();
    await source.tell([{ item: 5, has: [] }, { item: 1, has: [] }, { item: 7 }]);
    await source.expectRight();
    await source.countAll(1);
    expect(await source.items()).toBe(await source.truth());
    expect(await source.items()).toBe(4);
  });

  test('is right where several count at once, beside who changes items', async () => {
    const { database } = open();
    const source = await begin();
    const all = Array.from({ length: 60 }, (_, item) => ({ item }));
    await source.asBefore(() => source.tell(all));
    const change = async () => {
      for (let item = 0; item < 60; item += 12)
        await source.tell([{ item, has: [] }, { item: item + 1, of: ['jpcoar'] }, { item: 100 + item }]);
    };
    await Promise.all([source.countAll(7), change(), source.countAll(11)]);
    await source.countAll(50);
    expect(await source.items()).toBe(60);
    expect(await countItems(database.reader, source.id)).toBe(60);
  });
});
