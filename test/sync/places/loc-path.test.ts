import { normalize, sep } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LocPaths, locPath, safeFolder, withSuffix } from '../../../src/sync/places/loc-path.ts';
import { runs } from '../../house/runs.ts';

const host = 'https://repo.example.org';

describe('locPath', () => {
  it.each([
    [
      '/rs/items/oai:a.example:1~2F2/oai_dc.xml',
      'repo.example.org/rs/items/oai%3Aa.example%3A1~2F2/oai_dc.xml',
    ],
    ['/', 'repo.example.org/~index'],
    ['/a/', 'repo.example.org/a/~index'],
    ['/a//b', 'repo.example.org/a/~/b'],
    ['/get?id=1&v=%3A', 'repo.example.org/get%3Fid=1%26v=%3A'],
    ['/a%2Fb', 'repo.example.org/a%2Fb'],
    ['/con/aux.txt', 'repo.example.org/%63on/%61ux.txt'],
    ['/end.', 'repo.example.org/end%2E'],
    ['/~user/x', 'repo.example.org/%7Euser/x'],
    ['/.rsbridge/state.db', 'repo.example.org/%2Ersbridge/state.db'],
    ['/100%', 'repo.example.org/100%25'],
  ])('%s lies at %s', (path, expected) => {
    expect(locPath(`${host}${path}`, [])).toBe(expected);
  });

  it('has a place for the port, and for what is long', () => {
    expect(locPath('http://127.0.0.1:8080/a', [])).toBe('127.0.0.1%3A8080/a');
    const name = locPath(`${host}/${'x'.repeat(300)}`, []).split('/')[1] ?? '';
    expect(name).toMatch(/^x{180}~[0-9a-f]{16}$/);
    expect(locPath(`${host}/${'abcdef/'.repeat(400)}`, [])).toMatch(
      /^repo\.example\.org\/~long\/[0-9a-f]{64}$/,
    );
  });

  it('goes into the folder of the longest address that it is below', () => {
    const rules = [
      { base: `${host}/rs`, folder: 'records' },
      { base: `${host}/rs/files/`, folder: '' },
    ];
    expect(locPath(`${host}/rs/1`, rules)).toBe('records/1');
    expect(locPath(`${host}/rs/files/2`, rules)).toBe('2');
    expect(locPath(`${host}/rsx/3`, rules)).toBe('repo.example.org/rsx/3');
    expect(locPath(`${host}/rs?x`, rules)).toBe('records/%3Fx');
  });

  it('never leads outside, nor into what is ours, and is a name on every file system', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '..',
        '.',
        '...',
        '%2e%2e',
        '',
        '~',
        '.rsbridge',
        'nul',
        'COM1.txt',
        '%',
        '%00',
        '\\',
        'a:b',
        '*',
      ),
      fc.string({ maxLength: 12, unit: 'binary' }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), fc.boolean(), (pieces, isMapped) => {
        const text = `${host}/${pieces.join('/')}`;
        if (!URL.canParse(text)) return;
        const rules = isMapped ? [{ base: `${host}/`, folder: '' }] : [];
        const path = locPath(new URL(text).href, rules);
        expect(normalize(path)).toBe(path.replaceAll('/', sep));
        const names = path.split('/');
        expect(path).toMatch(/^[\w.~%@!$'()+,;=/-]+$/);
        expect(names.every((name) => /^(?!\.+$).{1,200}$/.test(name) && !name.endsWith('.'))).toBe(true);
        expect(names[0]).not.toMatch(/^\.rsbridge$/i);
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('withSuffix', () => {
  it('keeps the ending, and is the same each time', () => {
    const path = withSuffix('a.b/c.xml', `${host}/c.xml`);
    expect(path).toMatch(/^a\.b\/c~[0-9a-f]{8}\.xml$/);
    expect(withSuffix('a.b/c.xml', `${host}/c.xml`)).toBe(path);
    expect(withSuffix('a.b/.c', `${host}/`)).toMatch(/^a\.b\/\.c~[0-9a-f]{8}$/);
  });
});

describe('safeFolder', () => {
  it.each([
    ['.', ''],
    ['', ''],
    ['a/b/', 'a/b'],
    ['./a', 'a'],
    ['../a', undefined],
    ['/a', 'a'],
    ['.rsbridge', undefined],
    ['a b', undefined],
  ])('%j: %j', (text, expected) => {
    expect(safeFolder(text)).toBe(expected);
  });
});

describe('LocPaths', () => {
  it('gives each address of many the path that it has by itself', () => {
    const segment = fc.oneof(
      fc.constantFrom('a', 'b:80', 'con', '.x', 'x.', "it's", '', '~', 'oai:a:1', 'y'.repeat(70), '%3A', 'é'),
      fc.constantFrom('items', '1', '2', 'z'.repeat(199), 'q?r', ':'.repeat(70)),
    );
    const base = fc.constantFrom(
      ...[
        'http://h/',
        'http://h:80/',
        'http://h:8080/x/',
        'HTTP://h/X/',
        'http://h/s?q=1/',
        'http://h/../u/',
      ],
      `http://h/${'long/'.repeat(290)}`,
    );
    const locs = fc.array(fc.tuple(base, fc.array(segment, { minLength: 1, maxLength: 3 })), {
      maxLength: 30,
    });
    const rules = fc.constantFrom([], [{ base: 'http://h/items', folder: 'i' }]);
    fc.assert(
      fc.property(locs, rules, (pieces, its) => {
        const paths = new LocPaths(its);
        for (const [start, segments] of pieces) {
          const loc = start + segments.join('/');
          expect(paths.of(loc)).toBe(locPath(loc, its));
        }
      }),
      { numRuns: runs(300) },
    );
  });
});
