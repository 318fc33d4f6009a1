import { describe, expect, test } from 'vitest';
import {
  chooseFiles,
  type FileRules,
  hasNoFormatWithFiles,
  landingPageOrigin,
  type SeenFile,
  type StatedFile,
} from '../../../src/core/files/published-files.ts';

const rules: FileRules = { mode: 'proxy', perItem: 100, verify: true, landingPages: true };
const now = '2026-11-21T10:00:00Z';

function stated(name: string, more: Partial<StatedFile> = {}): StatedFile {
  return {
    url: `https://repo.example.org/${name}`,
    name,
    sequence: 1,
    origin: { name: 'jpcoar', rank: 40 },
    ...more,
  };
}

function choose(files: readonly StatedFile[], seen: Partial<SeenFile> | undefined, more = rules) {
  const known = seen && { outcome: 'confirmed' as const, failures: 0, ...seen };
  return chooseFiles(files, () => known, more, now);
}

const names = ({ published }: ReturnType<typeof chooseFiles>) => published.map(({ name }) => name);

test('of several origins the best that has any counts alone', () => {
  const dc = { name: 'oai_dc', rank: 80 };
  const files = [stated('guess.pdf', { origin: dc }), stated('a.pdf'), stated('b.pdf')];
  expect(names(choose(files, undefined))).toEqual(['a.pdf', 'b.pdf']);
  expect(names(choose(files, undefined, { ...rules, from: 'oai_dc' }))).toEqual(['guess.pdf']);
  expect(names(choose(files, undefined, { ...rules, from: 'mets' }))).toEqual([]);
});

test('landing pages are asked only where no format states a file', () => {
  const found = stated('found.pdf', { origin: landingPageOrigin });
  expect(hasNoFormatWithFiles([found], rules)).toBe(true);
  expect(hasNoFormatWithFiles([found, stated('a.pdf')], rules)).toBe(false);
  expect(names(choose([found], undefined, { ...rules, from: 'mets' }))).toEqual(['found.pdf']);
});

test('what not everybody may read stays out, until the day its embargo ends', () => {
  const files = [
    stated('open.pdf', { access: 'open' }),
    stated('restricted.pdf', { access: 'restricted' }),
    stated('unknown-end.pdf', { access: 'embargoed' }),
    stated('later.pdf', { access: 'embargoed', availableAt: '2026-11-21T10:00:01Z' }),
    stated('today.pdf', { access: 'embargoed', availableAt: '2026-11-21T00:00:00Z' }),
  ];
  expect(names(choose(files, {}))).toEqual(['open.pdf', 'today.pdf']);
  // The day alone is no proof, where a server can be asked.
  expect(names(choose(files, undefined))).toEqual(['open.pdf']);
  expect(names(choose(files, undefined, { ...rules, verify: false }))).toEqual(['open.pdf', 'today.pdf']);
  expect(choose(files, undefined).candidates).toHaveLength(2);
});

describe('the list of the repository itself', () => {
  const own = { name: 'dspace', rank: 0 };
  const url =
    'https://repo.example.org/server/api/core/bitstreams/ba7d4e0f-1c2b-4f3a-9d8e-0123456789ab/content';

  test('is believed about open files as they are stated, until their server says no; a mirror downloads them', () => {
    const files = [stated('a.pdf', { origin: own, access: 'open', length: 3, hash: 'md5:00' })];
    expect(choose(files, undefined)).toMatchObject({
      published: [{ length: 3, hash: 'md5:00' }],
      candidates: [files[0]?.url],
    });
    expect(choose(files, { outcome: 'confirmed', length: 7 }).published).toMatchObject([{ length: 3 }]);
    // It states policies that have ended as if they had not: who may read a file, its server knows.
    for (const outcome of ['refused', 'gone'] as const) expect(names(choose(files, { outcome }))).toEqual([]);
    const mirror = choose(files, undefined, { ...rules, mode: 'mirror' });
    expect(mirror).toMatchObject({ published: [], candidates: [files[0]?.url] });
    expect(choose([stated('a.pdf', { origin: own })], undefined).candidates).toHaveLength(1);
    const guess = { ...own, rank: 5 };
    expect(choose([stated('a.pdf', { origin: guess, access: 'open' })], undefined).candidates).toHaveLength(
      1,
    );
  });

  test.each(['proxy', 'link', 'mirror'] as const)(
    'does not decide alone where it knows nothing of access: its server has to confirm (%s)',
    (mode) => {
      const files = [stated('a.pdf', { origin: own, access: 'unknown' })];
      const content = { contentHash: 'sha-256:ab', contentLength: 3 };
      const published = (seen: Partial<SeenFile> | undefined, verify = false) =>
        names(choose(files, seen && { ...content, ...seen }, { ...rules, mode, verify }));
      for (const verify of [true, false]) {
        expect(published(undefined, verify)).toEqual([]);
        expect(published({ outcome: 'unchecked' }, verify)).toEqual([]);
        expect(published({ outcome: 'refused' }, verify)).toEqual([]);
        expect(published({}, verify)).toEqual(['a.pdf']);
      }
      // Nobody ever answered; or somebody did, and is silent now.
      expect(published({ outcome: 'unreachable', failures: 1 })).toEqual([]);
      expect(published({ outcome: 'unreachable', failures: 1, mediaType: 'application/pdf' })).toEqual([
        'a.pdf',
      ]);
      expect(choose(files, undefined, { ...rules, mode }).candidates).toHaveLength(1);
    },
  );

  test.each([
    ['"0123456789abcdef0123456789abcdef"', 'md5:0123456789abcdef0123456789abcdef'],
    ['W/"0123456789ABCDEF0123456789ABCDEF"', 'md5:0123456789abcdef0123456789abcdef'],
    ['"ffffffffffffffffffffffffffffffff"', undefined],
    ['ffffffffffffffffffffffffffffffff', undefined],
    ['"ffffffffffffffffffffffffffffffff-3"', 'md5:0123456789abcdef0123456789abcdef'],
    ['"1234-5678"', 'md5:0123456789abcdef0123456789abcdef'],
  ])('a tag %s of the bytes with a cover page tells that the stated hash is not theirs', (etag, hash) => {
    const facts = { origin: own, access: 'unknown', hash: 'md5:0123456789abcdef0123456789abcdef' } as const;
    expect(choose([stated('a.pdf', { ...facts, url })], { etag }).published[0]?.hash).toBe(hash);
    // Elsewhere a tag of 32 digits may be anything.
    expect(choose([stated('a.pdf', facts)], { etag }).published[0]?.hash).toBe(facts.hash);
  });

  test('of an adapter that reads the source no more is of no account', () => {
    const files = [stated('a.pdf', { origin: own }), stated('b.pdf')];
    expect(names(choose(files, undefined))).toEqual(['a.pdf']);
    expect(names(choose(files, undefined, { ...rules, retired: ['dspace'] }))).toEqual(['b.pdf']);
  });
});

test('restricted files of a good origin are not replaced by the guesses of another', () => {
  const guess = stated('guess.pdf', { origin: { name: 'oai_dc', rank: 80 } });
  expect(names(choose([stated('a.pdf', { access: 'restricted' }), guess], undefined))).toEqual([]);
});

test('what its server refuses drops out; a server without a word has a month', () => {
  const files = [stated('a.pdf')];
  expect(names(choose(files, { outcome: 'refused' }))).toEqual([]);
  expect(names(choose(files, { outcome: 'unreachable', failures: 7 }))).toEqual(['a.pdf']);
  expect(names(choose(files, { outcome: 'unreachable', failures: 8 }))).toEqual([]);
});

test('the server knows best how long it is, and a hash of another length is not its hash', () => {
  const files = [stated('a.pdf', { length: 10, hash: 'md5:00', mediaType: 'application/pdf' })];
  const facts = (seen: Partial<SeenFile>) => choose(files, seen).published[0];
  expect(facts({ length: 10 })).toMatchObject({ length: 10, hash: 'md5:00' });
  expect(facts({ length: 11 })).toMatchObject({ length: 11, hash: undefined });
  expect(facts({})).toMatchObject({ length: 10, hash: 'md5:00' });
  expect(facts({ mediaType: 'application/octet-stream' })?.mediaType).toBe('application/pdf');
  expect(facts({ mediaType: 'text/plain' })?.mediaType).toBe('text/plain');
});

test('a mirror publishes what it has completely, under its own hash', () => {
  const mirror = { ...rules, mode: 'mirror' as const };
  const files = [stated('a.pdf', { length: 10, hash: 'md5:00' })];
  expect(names(choose(files, undefined, mirror))).toEqual([]);
  expect(names(choose(files, { length: 10 }, mirror))).toEqual([]);
  expect(choose(files, { contentHash: 'sha-256:ab', contentLength: 12 }, mirror).published).toMatchObject([
    { length: 12, hash: 'sha-256:ab' },
  ]);
});

test('one URL is one file, and an item publishes no more than it may', () => {
  const files = ['a', 'b', 'a', 'c'].map((name, index) => stated(name, { sequence: index + 1 }));
  const choice = choose(files, undefined, { ...rules, perItem: 2 });
  expect(names(choice)).toEqual(['a', 'b']);
  expect(choice.left).toBe(1);
  expect(choice.candidates).toHaveLength(2);
});

test('without files nothing is chosen and nobody is asked', () => {
  const choice = choose([stated('a.pdf')], undefined, { ...rules, mode: 'none' });
  expect(choice).toEqual({ published: [], candidates: [], left: 0 });
});
