import { expect, it } from 'vitest';
import { facets, wantedOf } from '../../../src/core/search/words.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { deleteAll, purgeSource } from '../../../src/store/removal/removed-sources.ts';
import { acquireLease } from '../../../src/store/runs/leases.ts';
import { followJournal, forgetSource, readFollowed } from '../../../src/store/search/following.ts';
import { type SearchQuestion, search } from '../../../src/store/search/search.ts';
import { storing } from '../../house/server/stored-items.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

/** Takes up everything that there is. */
async function follow(database: Database): Promise<void> {
  for (const { sourceId } of await readFollowed(database.reader)) {
    for (let more = true; more; ) {
      const state = (await readFollowed(database.reader)).find((one) => one.sourceId === sourceId);
      more = state !== undefined && (await followJournal(database, '/nowhere', state)) !== undefined;
    }
  }
}

const all = () => true;

async function found(
  database: Database,
  query: string,
  rest: Partial<SearchQuestion> = {},
  isServed: (source: string) => boolean = all,
): Promise<readonly string[]> {
  const question = { wanted: wantedOf(query), limit: 100, ...rest };
  return (await search(database.reader, question, isServed)).items.map(({ identifier }) => identifier);
}

function dc(title: string, creator = 'Somebody, Else', date = '2001') {
  return Buffer.from(
    `<dc xmlns="urn:dc"><title>${title}</title><creator>${creator}</creator><date>${date}</date></dc>`,
  );
}

const oaiDc = (title: string, creator?: string, date?: string) => ({
  format: 'oai_dc',
  content: dc(title, creator, date),
});

describeOnBoth('search', (open) => {
  it('finds items by words of title, creator and identifier, newest first', async () => {
    const { database } = open();
    const store = storing(database, 'tokyo');
    await store(
      '2026-11-01T00:00:00Z',
      {
        identifier: 'oai:t:1',
        datestamp: '2026-01-01T00:00:00Z',
        metadata: [oaiDc('情報爆発時代の研究基盤構想', '安達, 淳', '2015')],
      },
      {
        identifier: 'oai:t:2',
        datestamp: '2026-03-01T00:00:00Z',
        metadata: [oaiDc('東京と京大の研究', 'Evolučně, Jan', '1999')],
      },
      {
        identifier: 'oai:t:3',
        datestamp: '2026-02-01T00:00:00Z',
        metadata: [oaiDc('Snow crystals', 'Nakaya, Ukichiro', '1949-03')],
      },
    );
    await follow(database);
    expect(await found(database, '研究')).toEqual(['oai:t:2', 'oai:t:1']);
    expect(await found(database, '研究基盤')).toEqual(['oai:t:1']);
    expect(await found(database, '東京大')).toEqual([]);
    expect(await found(database, '安達')).toEqual(['oai:t:1']);
    expect(await found(database, 'evolucne')).toEqual(['oai:t:2']);
    expect(await found(database, 'SNOW nakaya')).toEqual(['oai:t:3']);
    expect(await found(database, 'oai:t:3')).toEqual(['oai:t:3']);
    expect(await found(database, 'snow 研究')).toEqual([]);
    expect(await found(database, '')).toEqual(['oai:t:2', 'oai:t:3', 'oai:t:1']);
  });

  it('narrows by source, collection, format, year and time, and pages', async () => {
    const { database } = open();
    const store = storing(database, 'osaka');
    const items = Array.from({ length: 30 }, (_, n) => ({
      identifier: `oai:o:${String(n).padStart(2, '0')}`,
      datestamp: `2026-05-${String(n + 1).padStart(2, '0')}T00:00:00Z`,
      collections: n % 2 === 0 ? ['even'] : ['odd'],
      metadata: [
        { ...oaiDc(`Paged ${n}`, 'A', n < 10 ? '1990' : '1991'), format: n === 7 ? 'mods' : 'oai_dc' },
      ],
    }));
    await store('2026-11-01T00:00:00Z', ...items);
    await follow(database);
    const source: { id: number } = await database.reader('source').where({ name: 'osaka' }).first('id');
    const collection: { id: number } = await database
      .reader('collection')
      .where({ source_id: source.id, spec: 'even' })
      .first('id');
    const inOsaka = { sourceId: source.id };
    expect(await found(database, '', inOsaka)).toHaveLength(30);
    expect(await found(database, 'paged', { year: '1990' })).toHaveLength(10);
    expect(await found(database, '', { ...inOsaka, collectionId: collection.id, year: '1990' })).toEqual(
      [8, 6, 4, 2, 0].map((n) => `oai:o:0${n}`),
    );
    expect(await found(database, '', { ...inOsaka, format: 'mods' })).toEqual(['oai:o:07']);
    expect(await found(database, 'paged', { since: '2026-05-29T00:00:00Z' })).toEqual([
      'oai:o:29',
      'oai:o:28',
    ]);
    for (const query of ['', 'paged']) {
      const pages: string[] = [];
      let after: number | undefined;
      do {
        const page = await search(
          database.reader,
          { wanted: wantedOf(query), ...inOsaka, limit: 7, after },
          all,
        );
        pages.push(...page.items.map(({ identifier }) => identifier));
        after = page.next;
      } while (after !== undefined);
      expect(pages).toEqual(await found(database, query, inOsaka));
    }
  });

  it('does not show what is withdrawn, deleted, changed or not served, whatever the index says still', async () => {
    const { database } = open();
    const store = storing(database, 'kyoto');
    const item = (n: number) => ({ identifier: `oai:k:${n}`, metadata: [oaiDc(`Vanishing ${n}`)] });
    await store('2026-11-01T00:00:00Z', item(1), item(2), item(3), item(4));
    await follow(database);
    expect(await found(database, 'vanishing')).toHaveLength(4);
    expect(await found(database, 'vanishing', {}, (source) => source !== 'kyoto')).toEqual([]);
    const resources = () => database.writer('resource').whereLike('path', 'kyoto/items/oai:k:%');
    await resources().whereLike('path', '%:1/%').update({ withdrawn_at: '2026-11-02T00:00:00Z' });
    await store('2026-11-02T00:00:00Z', { identifier: 'oai:k:2', deleted: true });
    await store('2026-11-02T00:00:01Z', { identifier: 'oai:k:3', metadata: [oaiDc('Another name')] });
    expect(await found(database, 'vanishing')).toEqual(['oai:k:4']);
    await follow(database);
    expect(await found(database, 'vanishing')).toEqual(['oai:k:4']);
    expect(await found(database, 'another name')).toEqual(['oai:k:3']);
  });

  it('follows the journal from where it was, and each change once', async () => {
    const { database } = open();
    const store = storing(database, 'nara');
    await store('2026-11-01T00:00:00Z', { identifier: 'oai:n:1', metadata: [oaiDc('First')] });
    const at = async () => (await readFollowed(database.reader)).find(({ source }) => source === 'nara');
    const before = await at();
    expect(before).toMatchObject({ seq: 0, journalSeq: 1 });
    // Two processes at once, and one that stood still meanwhile.
    const results = await Promise.all(
      [1, 2].map(() => followJournal(database, '/nowhere', before ?? never())),
    );
    expect(results.toSorted()).toEqual([1, undefined]);
    await store('2026-11-01T00:00:01Z', { identifier: 'oai:n:1', metadata: [oaiDc('Second')] });
    await follow(database);
    expect(await followJournal(database, '/nowhere', before ?? never())).toBeUndefined();
    expect(await found(database, 'second')).toEqual(['oai:n:1']);
    expect(await found(database, 'first')).toEqual([]);
    expect(await at()).toMatchObject({ seq: 2, journalSeq: 2 });
    // A journal may have moved without a change that can be told.
    await database.writer('source').where({ name: 'nara' }).update({ journal_seq: 7 });
    await follow(database);
    expect(await at()).toMatchObject({ seq: 7, journalSeq: 7 });
  });

  it('describes everything anew by other rules, and forgets a source that is not to be searched', async () => {
    const { database } = open();
    const store = storing(database, 'gifu');
    await store('2026-11-01T00:00:00Z', { identifier: 'oai:g:1', metadata: [oaiDc('Cormorant')] });
    await follow(database);
    await database.writer('described').update({ rules: 0 });
    await database.writer('description').whereNotNull('title').update({ title: 'by other rules' });
    await follow(database);
    expect(await found(database, 'cormorant')).toEqual(['oai:g:1']);
    const source: { id: number } = await database.reader('source').where({ name: 'gifu' }).first('id');
    while (await forgetSource(database, source.id));
    expect(await found(database, 'cormorant')).toEqual([]);
    const left = await database.reader('description').where({ source_id: source.id }).first('item_id');
    expect(left).toBeUndefined();
    await follow(database);
    expect(await found(database, 'cormorant')).toEqual(['oai:g:1']);
  });

  it('keeps nothing of a source that is removed for good', async () => {
    const { database } = open();
    await storing(database, 'oita')('2026-11-01T00:00:00Z', {
      identifier: 'oai:oita:1',
      metadata: [oaiDc('Mandarin')],
    });
    await follow(database);
    const { id }: { id: number } = await database.reader('source').where({ name: 'oita' }).first('id');
    await database.writer('source').where({ id }).update({ harvest_holder: null, harvest_expires: null });
    const now = () => ({ iso: '2026-11-02T00:00:00Z', milliseconds: Date.parse('2026-11-02T00:00:00Z') });
    const lease = await acquireLease(database, 'oita', now().milliseconds);
    const never = new AbortController().signal;
    await deleteAll(database, lease, now, never);
    expect(await found(database, 'mandarin')).toEqual([]);
    await purgeSource(database, lease, now, never);
    for (const table of ['description', 'described'])
      expect(await database.reader(table).where({ source_id: id }).first('source_id')).toBeUndefined();
    expect(await found(database, '', { sourceId: id })).toEqual([]);
  });

  it('names an item that no metadata names by its identifier, and takes hostile words for words', async () => {
    const { database } = open();
    const store = storing(database, 'mie');
    const content = Buffer.from('<x/>');
    await store(
      '2026-11-01T00:00:00Z',
      { identifier: 'oai:mie:nameless', metadata: [{ format: 'x', content }] },
      {
        identifier: "oai:mie:'quote",
        metadata: [oaiDc(`O'Reilly ${facets.year('1999')} ' | ! &amp; : * "`)],
      },
    );
    await follow(database);
    expect(await found(database, 'mie nameless')).toEqual(['oai:mie:nameless']);
    expect(await found(database, "o'reilly")).toEqual(["oai:mie:'quote"]);
    expect(await found(database, 'mie', { year: '1999' })).toEqual([]);
    for (const query of ["'", '"', ') or (1=1', '* NEAR(a b)', '!|&', '\ue000s1 mie', 'a\0b'])
      expect(Array.isArray(await found(database, `${query} mie`))).toBe(true);
    expect(await found(database, '', { format: "x' | 'y" })).toEqual([]);
  });
});

function never(): never {
  throw new Error('it is there');
}
