import { describe, expect, it } from 'vitest';
import { itemNumberOf, partId } from './ids.ts';
import { type Item, md5 } from './model.ts';
import { itemsWith, oddities, sampleRepository } from './sample-repository.ts';

/** Whether an edit shows in lastModified; the clock has to tick with every look. */
function isNoted(item: Item, edit: () => unknown): boolean {
  const before = item.lastModified;
  edit();
  return item.lastModified !== before;
}

describe('the simulated repository', () => {
  it('is the same for the same seed', () => {
    const picture = (seed: number) =>
      sampleRepository({ items: 60, seed }).items.map(({ uuid, metadata, files }) => [
        uuid,
        metadata,
        files.map((file) => [file.uuid, md5(file.content())]),
      ]);
    expect(picture(1)).toEqual(picture(1));
    expect(picture(1)).not.toEqual(picture(2));
  });

  it('has one of everything in fifty items', () => {
    const repository = sampleRepository({ items: 50 });
    for (const oddity of Object.keys(oddities))
      expect(itemsWith(repository, oddity as keyof typeof oddities)).toHaveLength(1);
    const [newer] = itemsWith(repository, 'newerVersion');
    expect(newer?.handle).toMatch(/\.2$/);
    expect(newer?.version?.history.versions.map(({ number }) => number)).toEqual([1, 2]);
    const names = itemsWith(repository, 'sameNames')[0]?.files.map(({ name }) => name);
    expect(new Set(names).size).toBe(1);
    expect(itemsWith(repository, 'handleless')[0]?.handle).toBeUndefined();
  });

  it('finds the item of a part by the id of the part', () => {
    for (const number of [1, 2, 99_999, 4_000_000]) {
      expect(itemNumberOf(partId(number, 17))).toBe(number);
      expect(partId(number, 17)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    }
    const repository = sampleRepository({ items: 5 });
    const [item] = repository.items;
    for (const bitstream of item?.bitstreams ?? [])
      expect(repository.bitstream(bitstream.uuid)?.item).toBe(item);
  });

  it('takes note of some edits and not of others', () => {
    const repository = sampleRepository({ items: 10, mix: 'open' });
    let tick = Date.parse('2026-11-21T00:00:00Z');
    repository.now = () => {
      tick += 1000;
      return tick;
    };
    const item = repository.items[1] as Item;
    const noted = (edit: () => unknown) => isNoted(item, edit);
    expect(noted(() => repository.editMetadata(item, { 'dc.title': ['Other'] }))).toBe(true);
    const file = repository.addBitstream(item, { name: 'a.txt', content: 'a', mimeType: 'text/plain' });
    expect(noted(() => repository.addBitstream(item, { name: 'b.txt', content: 'b' }))).toBe(true);
    expect(noted(() => repository.replaceBitstream(item, file.uuid, 'changed'))).toBe(true);
    const replaced = item.files.find(({ name }) => name === 'a.txt');
    expect(replaced?.uuid).not.toBe(file.uuid);
    const uuid = replaced?.uuid ?? '';
    expect(noted(() => repository.removeBitstream(item, item.files[0]?.uuid ?? ''))).toBe(true);
    expect(noted(() => repository.withdraw(item))).toBe(true);
    expect(noted(() => repository.reinstate(item))).toBe(true);
    expect(noted(() => repository.makePrivate(item))).toBe(true);
    expect(noted(() => repository.makeDiscoverable(item))).toBe(true);
    expect(noted(() => repository.embargo(item, '2050-01-01'))).toBe(true);
    expect(noted(() => repository.restrictBitstream(uuid))).toBe(false);
    expect(noted(() => repository.editBitstream(uuid, { description: 'x' }))).toBe(false);
    const other = repository.collections[3];
    if (other === undefined) throw new Error('no collection');
    expect(noted(() => repository.moveCollection(item, other))).toBe(false);
    expect(noted(() => repository.renameCollection(other, 'Renamed'))).toBe(false);
    expect(noted(() => repository.newVersion(item, 'second'))).toBe(false);
  });

  it('makes versions with either kind of handle', () => {
    const plain = sampleRepository({ items: 3, mix: 'open' });
    const first = plain.items[1] as Item;
    const bare = first.handle;
    const second = plain.newVersion(first);
    const third = plain.newVersion(second);
    expect([first, second, third].map(({ handle }) => handle)).toEqual([bare, `${bare}.2`, `${bare}.3`]);
    expect(second.metadata['dc.identifier.uri']?.[0]?.value).toMatch(/\.2$/);
    expect(second.files.map(({ content }) => md5(content()))).toEqual(
      first.files.map(({ content }) => md5(content())),
    );
    expect(second.files[0]?.uuid).not.toBe(first.files[0]?.uuid);
    expect(plain.bitstream(second.files[0]?.uuid ?? '')?.item).toBe(second);
    const canonical = sampleRepository({ items: 3, mix: 'open', canonicalHandles: true });
    const original = canonical.items[1] as Item;
    const handle = original.handle;
    const next = canonical.newVersion(original);
    expect([original.handle, next.handle]).toEqual([`${handle}.1`, handle]);
    expect(canonical.byHandle(handle ?? '')).toBe(next);
  });
});
