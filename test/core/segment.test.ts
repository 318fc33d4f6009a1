import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeSegment, fromSegment, toSegment } from '../../src/core/segment.ts';

const identifiers = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.string({
    unit: fc.constantFrom('.', '~', '-', '/', '%', '2', 'F', 'a', 'A', '𠮷', 'é'),
    maxLength: 120,
  }),
);

describe('toSegment', () => {
  test('escapes as the design says', () => {
    expect(toSegment('oai:repo.example.org:123456789/1')).toBe('oai:repo.example.org:123456789~2F1');
    expect(toSegment('~')).toBe('~7E');
    expect(toSegment('日本')).toBe('~E6~97~A5~E6~9C~AC');
    expect(toSegment('a b%')).toBe('a~20b~25');
  });

  test('dots alone cannot climb', () => {
    expect(toSegment('.')).toBe('~2E');
    expect(toSegment('..')).toBe('~2E~2E');
    expect(toSegment('.a')).toBe('.a');
    expect(toSegment('')).toBe('~-');
  });

  test('is ASCII, one segment, never empty, at most 200 bytes', () => {
    fc.assert(
      fc.property(identifiers, (identifier) => {
        const segment = toSegment(identifier);
        expect(segment).toMatch(/^[A-Za-z0-9._:~-]{1,200}$/);
        expect(segment).not.toMatch(/^\.+$/);
      }),
      { numRuns: 2000 },
    );
  });

  test('is reversible wherever it is not shortened', () => {
    fc.assert(
      fc.property(identifiers, (identifier) => {
        const segment = toSegment(identifier);
        expect(fromSegment(segment)).toBe(segment.includes('~.') ? undefined : identifier);
      }),
      { numRuns: 2000 },
    );
  });

  test('of ASCII, is read as what is written so, and encoded for an address without being read', () => {
    const segment = fc.oneof(
      identifiers.map(toSegment),
      fc.string({
        unit: fc.constantFrom('.', ':', '~2F', '~2D', '~41', '~7E', '~C3~A9', '~', 'a', '%'),
        maxLength: 70,
      }),
    );
    for (const one of Array.from({ length: 128 }, (_, code) => `a${String.fromCharCode(code)}`))
      expect(encodeSegment(toSegment(one))).toBe(encodeURIComponent(one));
    fc.assert(
      fc.property(segment, (text) => {
        const identifier = fromSegment(text);
        if (identifier !== undefined) expect(toSegment(identifier)).toBe(text);
        const encoded = encodeSegment(text);
        if (encoded !== undefined) expect(encoded).toBe(encodeURIComponent(identifier ?? 'none'));
      }),
      { numRuns: 2000 },
    );
  });

  test('is injective', () => {
    fc.assert(
      fc.property(identifiers, identifiers, (a, b) => {
        expect(toSegment(a) === toSegment(b)).toBe(a === b);
      }),
      { numRuns: 2000 },
    );
    const long = 'x'.repeat(5000);
    expect(toSegment(`${long}1`)).not.toBe(toSegment(`${long}2`));
    // What a short identifier would have to be called to look like a long one's segment.
    expect(toSegment(toSegment(long))).not.toBe(toSegment(long));
  });

  test('keeps lone surrogates apart from each other and from U+FFFD', () => {
    const segments = ['\ud800', '\ud801', '\udc00', '\ufffd', '\ud800a'].map(toSegment);
    expect(new Set(segments).size).toBe(5);
    expect(fromSegment(toSegment('a\ud800b'))).toBe('a\ud800b');
  });
});

describe('fromSegment', () => {
  test.each(['', '.', '..', '~41', '~2f', '~', 'a~2', 'a/b', 'a%2Fb', '~C3', `${'a'.repeat(201)}`])(
    'refuses %j, which toSegment never makes',
    (segment) => {
      expect(fromSegment(segment)).toBeUndefined();
    },
  );
});
