import { describe, expect, it } from 'vitest';
import { createAuthority } from '../../../src/resourcesync/reading/authority.ts';
import type { Statement } from '../../../src/resourcesync/reading/statement.ts';
import { tooManyDeletions } from '../../../src/sync/choice/deletion-fuse.ts';
import { createSelector, parseSelection } from '../../../src/sync/choice/selection.ts';
import { chooseWay, isDumpCheaper } from '../../../src/sync/choice/way.ts';

const statement = (facts: Partial<Statement>): Statement => ({
  loc: 'https://a.example/items/1/oai_dc.xml',
  change: undefined,
  datetime: undefined,
  lastmod: undefined,
  hashes: [],
  length: undefined,
  type: 'application/xml',
  path: undefined,
  links: [],
  ...facts,
});

const linkOf = (rel: string, href = 'https://a.example/') => ({
  ...{ rel, href, type: undefined, path: undefined, pri: 1 },
});

function isSelected(words: readonly string[], facts: Partial<Statement>): boolean {
  const selection = parseSelection(words);
  if ('refused' in selection) throw new Error(selection.why);
  return createSelector(selection)(statement(facts));
}

describe('what is selected', () => {
  it.each([
    [['type:application/xml'], {}, true],
    [['type:application/pdf'], {}, false],
    [['type:application/pdf', 'type:application/xml'], {}, true],
    [['type:application/*'], {}, true],
    [['type:application/pdf'], { type: undefined }, true],
    [['path:/items/**'], {}, true],
    [['path:/items/*'], {}, false],
    [['path:/items/*/oai_dc.xml'], {}, true],
    [['path:/x'], {}, false],
    [['length:10'], { length: 11 }, false],
    [['length:10'], { length: 10 }, true],
    [['length:10'], {}, true],
    [['length:2k'], { length: 2000 }, true],
    [['length:2k'], { length: 2001 }, false],
    [['metadata'], {}, false],
    [['metadata'], { links: [linkOf('describes')] }, true],
    [['rel:collection'], { links: [linkOf('describes')] }, false],
    [['rel:collection', 'rel:describes'], { links: [linkOf('describes')] }, true],
    [['profile:http://purl.org/dc/'], {}, false],
    [['profile:http://purl.org/dc/'], { links: [linkOf('profile', 'http://purl.org/dc/')] }, true],
    [['profile:http://purl.org'], { links: [linkOf('profile', 'http://purl.org/')] }, true],
    [['profile:http://other.example/'], { links: [linkOf('profile', 'http://purl.org/dc/')] }, false],
    [['type:application/pdf'], { change: 'deleted', type: undefined }, true],
    [['path:/x'], { change: 'deleted' }, false],
  ] as const)('%j of %j: %s', (words, facts, expected) => {
    expect(isSelected(words, facts)).toBe(expected);
  });

  it.each(['types:a/b', 'type:pdf', 'path:x', 'length:many', 'length:5x', ''])('%j is refused', (word) => {
    expect(parseSelection([word])).toMatchObject({ refused: word });
  });
});

describe('whose resources are fetched', () => {
  it.each([
    ['https://repo.example.org/1', true],
    ['http://repo.example.org:8080/1', true],
    ['https://files.repo.example.org/1', true],
    ['https://mirror.example/1', true],
    ['https://evil-repo.example.org/1', false],
    ['https://repo.example.org.evil.example/1', false],
    ['https://repo.example.org@evil.example/1', false],
    ['file:///etc/passwd', false],
    ['ftp://repo.example.org/1', false],
  ])('%s: %s', (loc, expected) => {
    expect(createAuthority('https://repo.example.org/cap.xml', ['mirror.example'])(loc)).toBe(expected);
  });

  it('anybody, where that is allowed; of the web alone', () => {
    const isAllowed = createAuthority('https://repo.example.org/', ['*']);
    expect(isAllowed('https://other.example/1')).toBe(true);
    expect(isAllowed('file:///etc/passwd')).toBe(false);
  });
});

describe('how many deletions are too many', () => {
  it.each([
    [20, 30, undefined, undefined],
    [21, 30, undefined, 20],
    [100, 1000, undefined, undefined],
    [101, 1000, undefined, 100],
    [1, 1000, 0, 0],
    [500, 1000, 500, undefined],
  ])('%i of %i, where %s are allowed', (doomed, held, allowed, limit) => {
    expect(tooManyDeletions(doomed, held, allowed)).toBe(limit);
  });

  it('any, where the list names nothing and nobody allowed it', () => {
    expect(tooManyDeletions(1, 30, undefined, true)).toBe(0);
    expect(tooManyDeletions(1, 30, 1, true)).toBeUndefined();
    expect(tooManyDeletions(0, 30, undefined, true)).toBeUndefined();
  });
});

describe('the way', () => {
  const facts = {
    asked: undefined,
    cursor: '2026-11-01T00:00:00Z',
    offersChanges: true,
    offersList: true,
    isOtherSelection: false,
  } as const;

  it.each([
    [{}, 'incremental'],
    [{ cursor: undefined }, 'baseline'],
    [{ isOtherSelection: true }, 'audit'],
    [{ offersChanges: false }, 'audit'],
    [{ otherSet: { before: 'x', isNamed: true } }, 'audit'],
    [{ otherSet: { before: 'x', isNamed: false } }, 'audit'],
    [{ otherSet: { before: 'x', isNamed: false }, offersList: false }, 'incremental'],
    [{ offersList: false, cursor: undefined }, 'incremental'],
    [{ asked: 'audit' as const }, 'audit'],
    [{ asked: 'baseline' as const }, 'baseline'],
  ])('%j: %s', (given, way) => {
    expect(chooseWay({ ...facts, ...given })).toMatchObject({ way });
  });

  it.each([
    [{ offersList: false, offersChanges: false }, 'no list'],
    [{ asked: 'incremental' as const, cursor: undefined }, 'no copy yet'],
    [{ asked: 'incremental' as const, offersChanges: false }, 'no Change List'],
    [{ asked: 'audit' as const, offersList: false }, 'no Resource List'],
  ])('%j: refused', (given, why) => {
    expect(chooseWay({ ...facts, ...given })).toMatchObject({ refused: expect.stringContaining(why) });
  });

  it.each([
    [{ count: 100, stated: 100, octets: 100_000 }, 0, true],
    [{ count: 100, stated: 100, octets: 100_000_000 }, 0, false],
    [{ count: 100, stated: 0, octets: 0 }, 0, true],
    [{ count: 100, stated: 100, octets: 100_000 }, 200, false],
    [{ count: 3, stated: 3, octets: 3 }, 0, false],
  ])('a dump for %j beside %i held: %s', (due, held, expected) => {
    expect(isDumpCheaper(due, held)).toBe(expected);
  });
});
