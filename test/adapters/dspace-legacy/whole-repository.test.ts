import { describe, expect, onTestFinished, test } from 'vitest';
import type { SourceItem } from '../../../src/core/adapter.ts';
import { toIso } from '../../../src/core/datetime.ts';
import { adapterAt, pagesOf } from '../../house/adapters/legacy-repository.ts';
import { type LegacyServerOptions, startLegacyServer } from '../../house/dspace/legacy/legacy-server.ts';
import { type Collection, type Community, type Item, isOpen, md5 } from '../../house/dspace/model.ts';
import type { Repository } from '../../house/dspace/repository.ts';
import { itemsWith, sampleRepository } from '../../house/dspace/sample-repository.ts';

const now = Date.parse('2026-11-20T12:00:00Z');
const timeZone = 'America/New_York';

async function start(version: '5' | '6', options: Partial<LegacyServerOptions> = {}) {
  const repository = sampleRepository({ items: 260, collections: 4, now: now - 30 * 86_400_000 });
  repository.now = () => now;
  const server = await startLegacyServer({ repository, version, oai: true, timeZone, ...options });
  onTestFinished(() => server.close());
  return { repository, server, version };
}

/** What anybody finds by browsing. */
function visible({ items }: Repository): readonly Item[] {
  return items.filter(
    ({ inArchive, withdrawn, discoverable, read }) =>
      inArchive && !withdrawn && discoverable && isOpen(read, now),
  );
}

function nameOf(item: Item, version: '5' | '6'): string {
  const id = version === '5' ? String(item.number) : item.uuid;
  return item.handle === undefined ? id : `oai:repo.example.org:${item.handle}`;
}

function keysOf({ collection, mapped }: Item): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const place of [collection, ...mapped]) {
    keys.add(`col_${place.handle?.replace('/', '_')}`);
    for (
      let above: Collection | Community | undefined = place.parent;
      above !== undefined;
      above = above.parent
    )
      keys.add(`com_${above.handle?.replace('/', '_')}`);
  }
  return keys;
}

function told(items: readonly SourceItem[]) {
  return items.map(({ identifier, datestamp, collections, files }) => ({
    identifier,
    datestamp,
    collections: new Set(collections),
    files: files.map(({ name, hash, length }) => ({ name, hash, length })),
  }));
}

function expected(items: readonly Item[], version: '5' | '6') {
  return items.map((item) => ({
    identifier: nameOf(item, version),
    datestamp: toIso(new Date(item.lastModified)),
    collections: keysOf(item),
    files: item.files
      .filter(({ read }) => isOpen(read, now))
      .map(({ name, content }) => ({ name, hash: `md5:${md5(content())}`, length: content().length })),
  }));
}

const byIdentifier = (a: { identifier: string }, b: { identifier: string }) =>
  a.identifier < b.identifier ? -1 : 1;

describe.each(['5', '6'] as const)('a repository of DSpace %s', (version) => {
  test('is delivered as anybody can read it, no more and no less', async () => {
    const { repository, server } = await start(version);
    const { adapter } = adapterAt(server.url, { timeZone, files: {} });
    const pages = await pagesOf(adapter);
    const items = pages.flatMap((page) => page.items);
    expect(items.some(({ deleted }) => deleted)).toBe(false);
    expect(told(items).sort(byIdentifier)).toEqual(expected(visible(repository), version).sort(byIdentifier));
    expect(pages.flatMap(({ problems }) => problems)).toEqual([]);
    const listed = [];
    for await (const { entries } of adapter.identifiers({}, AbortSignal.timeout(180_000)))
      listed.push(...entries.map(({ identifier }) => identifier));
    expect(new Set(listed)).toEqual(new Set(items.map(({ identifier }) => identifier)));
    expect(server.usageEvents).toBe(0);
  });

  test('tells by OAI-PMH what has changed, and what is gone', async () => {
    const { repository, server } = await start(version);
    const { adapter } = adapterAt(server.url, { timeZone });
    const since = toIso(new Date(now - 86_400_000));
    await pagesOf(adapter, { mode: 'incremental', since });
    const [edited, withdrawn, hidden] = visible(repository).filter(
      ({ handle, entityType }) => handle !== undefined && entityType === null,
    );
    if (!edited || !withdrawn || !hidden) throw new Error('too few items');
    repository.editMetadata(edited, { 'dc.title': ['Another title'] });
    repository.withdraw(withdrawn);
    repository.makePrivate(hidden);
    server.oai?.reindex();
    server.requests.length = 0;
    const items = (await pagesOf(adapter, { mode: 'incremental', since })).flatMap((page) => page.items);
    const states = Object.fromEntries(items.map(({ identifier, deleted }) => [identifier, deleted]));
    expect(states).toEqual({
      [nameOf(edited, version)]: false,
      [nameOf(withdrawn, version)]: true,
      [nameOf(hidden, version)]: true,
    });
    expect(server.requests.filter(({ path }) => path.endsWith('/items'))).toEqual([]);
  });

  test('says what became of each item', async () => {
    const { repository, server } = await start(version);
    const { adapter } = adapterAt(server.url, { timeZone });
    const signal = AbortSignal.timeout(180_000);
    const ask = async (item: Item | undefined) => {
      if (item === undefined) throw new Error('no such item');
      return adapter.item(nameOf(item, version), signal);
    };
    expect(await ask(itemsWith(repository, 'withdrawn')[0])).toMatchObject({ deleted: true });
    expect(await ask(itemsWith(repository, 'restrictedItem')[0])).toMatchObject({ deleted: true });
    expect(await ask(itemsWith(repository, 'handleless')[0])).toMatchObject({ deleted: false });
    expect(await ask(itemsWith(repository, 'severalFiles')[0])).toMatchObject({ deleted: false });
    const gone = visible(repository).find(({ handle }) => handle !== undefined);
    if (gone) repository.delete(gone);
    expect(await ask(gone)).toBeUndefined();
  });
});

test('nothing is believed to be gone while the service refuses everything', async () => {
  const { repository, server } = await start('6');
  const { adapter } = adapterAt(server.url, { timeZone });
  await pagesOf(adapter);
  for (const status of [401, 404, 500]) {
    server.fail({ when: ({ kind }) => kind !== 'oai', reply: status });
    const [item] = visible(repository);
    await expect(adapter.item(nameOf(item as Item, '6'), AbortSignal.timeout(180_000))).rejects.toThrow();
    server.faults.length = 0;
  }
});

test('a login that a page of its own asks for is one, a page that turns robots away is none', async () => {
  const { repository, server } = await start('6');
  const { adapter } = adapterAt(server.url, { timeZone });
  await pagesOf(adapter);
  const item = visible(repository).find(({ handle }) => handle !== undefined) as Item;
  const ask = () => adapter.item(nameOf(item, '6'), AbortSignal.timeout(180_000));
  const body = '<!doctype html><html><body><h1>Library</h1></body></html>';
  const when = ({ path }: { readonly path: string }) => path.endsWith(`/handle/${item.handle}`);
  server.fail({ when, reply: 401, body });
  expect(await ask()).toMatchObject({ deleted: true });
  server.faults.length = 0;
  server.fail({ when, reply: 403, body });
  await expect(ask()).rejects.toThrow();
  server.faults.length = 0;
  expect(await ask()).toMatchObject({ deleted: false });
});
