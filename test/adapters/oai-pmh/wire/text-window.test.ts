import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TextWindow } from '../../../../adapters/oai-pmh/wire/text-window.ts';

const pieces = fc.array(
  fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.constantFrom('<a>', '</a>', '<', 'x'.repeat(65_536), '<b/>'.repeat(9000)),
  ),
  { maxLength: 12 },
);

describe('A window on a text', () => {
  test('holds what one long string would hold, in whatever pieces it came', () => {
    fc.assert(
      fc.property(
        pieces,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.array(fc.nat(300_000)),
        (all, dropped, places) => {
          const window = new TextWindow(7);
          const text = all.join('');
          const half = Math.ceil(all.length / 2);
          for (const piece of all.slice(0, half)) window.append(piece);
          const base = Math.floor((window.end - 7) * dropped);
          window.dropBefore(7 + base);
          for (const piece of all.slice(half)) window.append(piece);
          expect(window.end).toBe(7 + text.length);
          expect(window.slice(7 + base, window.end)).toBe(text.slice(base));
          for (const place of places) {
            const at = base + (place % (text.length - base + 1));
            expect(window.slice(7 + at, 7 + at + 50)).toBe(text.slice(at, at + 50));
            const next = text.indexOf('<a', at);
            expect(window.search(/<a/g, 7 + at)).toBe(next < 0 ? undefined : 7 + next);
            if (at === base) continue;
            const start = text.slice(base).lastIndexOf('<', at - base - 1);
            expect(window.tagStart(7 + at)).toBe(7 + base + start);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test('knows the end tag that it has just left across the seam of two pieces', () => {
    const window = new TextWindow();
    window.append(`${'x'.repeat(65_535)}<`);
    window.append('/a>');
    expect(window.closes('a', window.end)).toBe(true);
    expect(window.closes('b', window.end)).toBe(false);
  });
});
