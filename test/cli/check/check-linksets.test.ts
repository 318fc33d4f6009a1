import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bitstreamIn, compareLinkset } from '../../../src/cli/check/linkset-comparison.ts';
import { parseLinkset } from '../../../src/core/signposting/linkset.ts';
import { sharedMaterial } from '../../house/adapters/shared-material.ts';

const id = (number: number) => `00000000-0000-4000-8000-00000000000${number}`;
const ui = 'https://repo.example.org';
const nothing = new Set<string>();

/** As DSpace 10 writes one: contexts of the item and of each file, and a member that has strayed into it. */
function linkset(files: readonly string[], citeAs = `${ui}/handle/10986/42650`) {
  const item = `${ui}/entities/publication/${id(0)}`;
  const text = JSON.stringify({
    linkset: [
      {
        item: files.map((file) => ({ href: `${ui}/bitstreams/${file}/download`, type: 'application/pdf' })),
        'cite-as': [{ href: citeAs }],
        type: [{ href: 'https://schema.org/AboutPage' }],
        anchor: item,
      },
      ...files.map((file) => ({
        collection: [{ href: item, type: 'text/html' }],
        anchor: `${ui}/bitstreams/${file}/download`,
      })),
    ],
    uniqueType: 'null.null',
  });
  return parseLinkset(text, 'application/linkset+json', `${ui}/server/signposting/linksets/${id(0)}/json`);
}

describe('an item beside its link set', () => {
  test('agrees where both name the same files', () => {
    const published = new Set([id(1), id(2)]);
    expect(
      compareLinkset(linkset([id(1).toUpperCase(), id(2)]), {
        handle: '10986/42650',
        published,
        withheld: nothing,
      }),
    ).toEqual({ agreed: 2, withheld: 0, missing: [], surplus: [], otherNames: [] });
  });

  test('differs by what one of them leaves out; what is held back for a reason is no difference', () => {
    const ours = { handle: '10986/42650', published: new Set([id(1), id(4)]), withheld: new Set([id(2)]) };
    expect(compareLinkset(linkset([id(1), id(2), id(3)]), ours)).toEqual({
      agreed: 1,
      withheld: 1,
      missing: [id(3)],
      surplus: [id(4)],
      otherNames: [],
    });
  });

  test('says by which names it is to be cited, if none is its handle', () => {
    const named = (citeAs: string) =>
      compareLinkset(linkset([], citeAs), { handle: '10986/42', published: nothing, withheld: nothing })
        .otherNames;
    expect(named('https://hdl.handle.net/10986/42')).toEqual([]);
    expect(named('https://doi.org/10.5072/x')).toEqual(['https://doi.org/10.5072/x']);
    expect(named(`${ui}/handle/10986/421`)).toEqual([`${ui}/handle/10986/421`]);
    expect(named(`${ui}/handle/110986/42`)).toEqual([`${ui}/handle/110986/42`]);
  });

  test('an item without a handle has nothing to be held against', () => {
    const ours = { handle: undefined, published: nothing, withheld: nothing };
    expect(compareLinkset(linkset([]), ours).otherNames).toEqual([]);
  });
});

test('a bitstream is known by its page and by its content', () => {
  expect(bitstreamIn(`${ui}/server/api/core/bitstreams/${id(7)}/content`)).toBe(id(7));
  expect(bitstreamIn(`${ui}/bitstreams/${id(7).toUpperCase()}/download`)).toBe(id(7));
  expect(bitstreamIn(`${ui}/bitstreams/${id(7)}0/download`)).toBeUndefined();
  expect(bitstreamIn(`${ui}/bitstream/10986/42/1/a.pdf`)).toBeUndefined();
});

const shared = sharedMaterial('fixtures/dspace/contract');
test.skipIf(shared === undefined)('the link set of the contract names its two files', () => {
  const text = readFileSync(join(shared ?? '', 'signposting_linkset.json'), 'utf8');
  let file = 0;
  const filled = text
    .replaceAll('{dspace.ui.url}', 'repo.example.org')
    .replace(/bitstreams\/\{uuid\}/g, () => `bitstreams/${id((file++ % 2) + 1)}`)
    .replaceAll('{uuid}', id(0));
  const links = parseLinkset(filled, 'application/linkset+json', `${ui}/server/signposting/linksets/x/json`);
  const ours = { handle: '123456789/17', published: new Set([id(1), id(2)]), withheld: nothing };
  expect(compareLinkset(links, ours)).toMatchObject({ agreed: 2, missing: [], surplus: [], otherNames: [] });
});
