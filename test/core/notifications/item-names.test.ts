import { describe, expect, test } from 'vitest';
import { itemNames } from '../../../src/core/notifications/item-names.ts';

const dspace = { host: 'repo.example.org', known: 'oai:repo.example.org:123456789/7' };

describe('which item an address means', () => {
  test.each([
    'https://hdl.handle.net/123456789/12',
    'hdl:123456789/12',
    'https://repo.example.org/handle/123456789/12',
    'https://repo.example.org/jspui/handle/123456789/12?locale=ja',
    'https://www.example.org/handle/123456789/12',
    'oai:repo.example.org:123456789/12',
  ])('%s is called so by a DSpace', (address) => {
    const { likely, certain } = itemNames(address, dspace);
    expect(likely[0]).toBe('oai:repo.example.org:123456789/12');
    expect(certain).toBe('oai:repo.example.org:123456789/12');
  });

  test('a page with a UUID means the item of this UUID, where items are called so', () => {
    const id = '0aa38f94-49f6-4d4b-9dd9-0b2b16e5c5ba';
    const address = `https://repo.example.org/entities/publication/${id.toUpperCase()}`;
    const known = 'a71ab9c8-3e50-4a73-9ed2-a73e1eed2a21';
    expect(itemNames(address, { ...dspace, known })).toMatchObject({ likely: [id], certain: id });
    expect(itemNames(address, dspace).certain).toBeUndefined();
  });

  test.each([
    [
      'https://weko.example.org/records/123',
      'oai:weko.example.org:00000007',
      'oai:weko.example.org:00000123',
    ],
    ['https://weko.example.org/records/00000123', 'oai:weko.example.org:7', 'oai:weko.example.org:123'],
    ['https://weko.example.org/123/', 'oai:weko.example.org:7', 'oai:weko.example.org:123'],
    [
      'https://weko.example.org/index.php/j/article/view/12',
      'oai:ojs.weko.example.org:article/1',
      'oai:ojs.weko.example.org:article/12',
    ],
    ['https://weko.example.org/records/ab-12', 'oai:weko.example.org:x', 'oai:weko.example.org:ab-12'],
  ])('%s beside %s may be %s, if there is such an item', (address, known, expected) => {
    const { likely, certain } = itemNames(address, { host: 'weko.example.org', known });
    expect(likely).toContain(expected);
    expect(certain).toBeUndefined();
  });

  test('the page of another host is none of ours, whatever its number', () => {
    const found = itemNames('https://other.example.com/records/123', {
      host: 'weko.example.org',
      known: 'oai:weko.example.org:7',
    });
    expect(found).toEqual({ likely: [], certain: undefined, persistent: undefined });
  });

  test('a DOI is looked for among what is described', () => {
    expect(itemNames('https://doi.org/10.5555/1', dspace)).toEqual({
      likely: [],
      certain: undefined,
      persistent: '10.5555/1',
    });
  });

  test('of a source that was never read an address says little', () => {
    const fresh = { host: 'repo.example.org', known: undefined };
    expect(itemNames('https://repo.example.org/handle/1/2', fresh)).toEqual({
      likely: [],
      certain: undefined,
      persistent: '1/2',
    });
    expect(itemNames('oai:repo.example.org:1', fresh).likely).toEqual(['oai:repo.example.org:1']);
    expect(itemNames('mailto:a@example.org', fresh).likely).toEqual([]);
  });
});
