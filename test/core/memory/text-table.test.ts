import { describe, expect, it } from 'vitest';
import { TextTable } from '../../../src/core/memory/text-table.ts';

const names = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `oai:example.org:${from + index}`);

describe('TextTable', () => {
  it('holds each text once, in the order of their coming, through every growth', () => {
    const table = new TextTable();
    const texts = ['', 'é', '\u{1f600}', ...names(0, 20_000)];
    expect(texts.map((text) => table.add(text))).toEqual(texts.map((_, index) => index));
    expect(table.size).toBe(texts.length);
    expect([...texts].reverse().map((text) => table.add(text))).toEqual(
      texts.map((_, index) => texts.length - 1 - index),
    );
    expect(texts.every((text, index) => table.find(text) === index)).toBe(true);
    expect(names(20_000, 60_000).filter((text) => table.find(text) !== -1)).toEqual([]);
    expect(table.size).toBe(texts.length);
  });

  it('knows which texts of another it holds', () => {
    const [one, other] = [new TextTable(), new TextTable()];
    for (const text of names(0, 2000)) one.add(text);
    for (const text of names(1500, 2500).reverse()) other.add(text);
    const held = names(1500, 2500)
      .reverse()
      .map((text) => one.find(text));
    expect(held.map((_, position) => one.findOf(other, position))).toEqual(held);
    expect(held.filter((position) => position !== -1)).toHaveLength(500);
  });
});
