import { expect, it } from 'vitest';
import { indexTerms, wantedOf } from '../../../src/core/search/words.ts';
import { candidates } from '../../../src/store/search/candidates.ts';
import type { DescribedItem } from '../../../src/store/search/described-items.ts';
import { replaceDescriptions } from '../../../src/store/search/description-rows.ts';
import { ensureSource, findSource } from '../../../src/store/sources/sources.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const words: Readonly<Record<string, number>> = { common: 1, often: 3, seldom: 11, rare: 40, never: 1000 };

function described(itemId: number): DescribedItem {
  const title = Object.keys(words)
    .filter((word) => itemId % (words[word] ?? 1) === 0)
    .join(' ');
  return {
    itemId,
    resourceId: itemId,
    hash: `sha-256:${itemId.toString(16).padStart(64, '0')}`,
    lastmod: new Date(Date.UTC(2020, 0, 1) + itemId * 60_000).toISOString().replace('.000', ''),
    title,
    ...{ language: 'en', otherTitles: [], creators: [], date: '2020', type: undefined },
    terms: indexTerms([title]),
  };
}

describeOnBoth('candidates', (open) => {
  it('finds each item once, from the newest on, however often its word is met', async () => {
    const { database } = open();
    await ensureSource(database, 'tokyo', '2026-01-01T00:00:00Z');
    const sourceId = (await findSource(database.reader, 'tokyo'))?.id ?? 0;
    const items = Array.from({ length: 200 }, (_, index) => described(index + 1));
    await database.transaction((trx) => replaceDescriptions(trx, sourceId, [], items));
    const reach = { lookedThrough: 20, lookedUp: 60 };
    for (const [word, every] of Object.entries(words)) {
      const question = { wanted: wantedOf(word), limit: 4 };
      const found: number[] = [];
      for (let after: number | undefined, more = true; more; ) {
        const page = await candidates(database.reader, question, after, question.limit, reach);
        found.push(...page.map(({ item_id }) => Number(item_id)));
        after = Number(page.at(-1)?.place);
        more = page.length === question.limit;
      }
      const wanted = items.map(({ itemId }) => itemId).filter((itemId) => itemId % every === 0);
      expect(found, word).toEqual(wanted.reverse());
    }
  });
});
