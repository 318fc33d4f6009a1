import { expect, it } from 'vitest';
import { wantedOf } from '../../../src/core/search/words.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { boundedSearch } from '../../../src/store/search/bounded-search.ts';
import { followJournal, readFollowed } from '../../../src/store/search/following.ts';
import { payload, storing } from '../../house/server/stored-items.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const question = { wanted: wantedOf('oai'), limit: 20 };

/** PostgreSQL has taken too long for whatever it is asked next. */
function slow(database: Database): Database {
  const cancelled = Object.assign(new Error('canceling statement due to statement timeout'), {
    code: '57014',
  });
  return { ...database, client: 'pg', snapshot: () => Promise.reject(cancelled) };
}

describeOnBoth('a search within bounds', (open) => {
  it('finds the same, and says what to do where it took too long', async () => {
    const { database } = open();
    await storing(database)('2026-11-01T00:00:00Z', { identifier: 'oai:x:1', metadata: [payload('x')] });
    for (const one of await readFollowed(database.reader)) await followJournal(database, '/nowhere', one);
    const { items } = await boundedSearch(database, question, () => true);
    expect(items).toMatchObject([{ identifier: 'oai:x:1' }]);
    await expect(boundedSearch(slow(database), question, () => true)).rejects.toMatchObject({
      code: 'search-too-broad',
    });
    // The limits are of that transaction, and of no other that uses the connection.
    if (database.client !== 'pg') return;
    const { rows } = await database.reader.raw('show statement_timeout');
    expect(rows[0].statement_timeout).toBe('0');
  });
});
