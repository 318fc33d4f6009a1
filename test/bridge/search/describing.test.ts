import pino from 'pino';
import { afterEach, expect, it } from 'vitest';
import { startDescribing } from '../../../src/bridge/search/describing.ts';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { type Config, parseConfig } from '../../../src/core/config/config.ts';
import { wantedOf } from '../../../src/core/search/words.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { readFollowed } from '../../../src/store/search/following.ts';
import { search } from '../../../src/store/search/search.ts';
import { payload, storing } from '../../house/server/stored-items.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Does not sleep: everything that there is to do is done at once. */
const restless = { ...systemClock, sleep: () => systemClock.sleep(1) };

function describing(database: Database, config: Config): void {
  const stop = new AbortController();
  const bridge = { config, database, clock: restless, log: pino({ level: 'silent' }) };
  const watch = startDescribing(bridge, stop.signal, { isOurs: () => true, isHarvesting: () => false });
  cleanups.push(() => watch.stop());
}

const settings = (rest: object = {}) =>
  parseConfig({
    directory: '/nowhere',
    sources: {
      one: { url: 'https://one.example.org/oai', ...rest },
      two: { url: 'https://two.example.org/oai' },
    },
  });

async function count(database: Database): Promise<Record<string, number>> {
  const answer = await search(database.reader, { wanted: wantedOf('hello'), limit: 100 }, () => true);
  const counts: Record<string, number> = {};
  for (const { source } of answer.items) counts[source] = (counts[source] ?? 0) + 1;
  return counts;
}

async function fill(database: Database): Promise<void> {
  for (const source of ['one', 'two']) {
    const titled = (n: number) => ({
      identifier: `oai:${source}:${n}`,
      metadata: [
        { ...payload(''), content: Buffer.from(`<dc xmlns="urn:dc"><title>hello ${n}</title></dc>`) },
      ],
    });
    await storing(database, source)('2026-11-01T00:00:00Z', ...[1, 2, 3].map(titled));
  }
}

describeOnBoth('describing', (open) => {
  it('goes through all that there is, leaves out what is not to be searched, and forgets it', async () => {
    const { database } = open();
    await fill(database);
    describing(database, settings());
    await expect.poll(() => count(database), { timeout: 20_000 }).toEqual({ one: 3, two: 3 });
    await cleanups.pop()?.();
    describing(database, settings({ search: false }));
    await expect.poll(() => count(database), { timeout: 20_000 }).toEqual({ two: 3 });
    await cleanups.pop()?.();
    describing(database, { ...settings(), search: false });
    await expect
      .poll(async () => (await readFollowed(database.reader)).some(({ isKnown }) => isKnown), {
        timeout: 20_000,
      })
      .toBe(false);
    expect(await database.reader('description').first('place')).toBeUndefined();
    await cleanups.pop()?.();
    describing(database, settings());
    await expect.poll(() => count(database), { timeout: 20_000 }).toEqual({ one: 3, two: 3 });
  });
});
