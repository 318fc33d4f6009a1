import { expect, test } from 'vitest';
import { repairRecord } from '../../../../adapters/oai-pmh/wire/repair.ts';

test('A long record is mended as a short one is, wherever its pieces end', () => {
  const long = 'x'.repeat(65_520);
  for (let shift = 0; shift < 32; shift += 1) {
    const before = long + 'x'.repeat(shift);
    const { text, reasons } = repairRecord(`${before}&eacute;𝒳&amp;\u0001& 𝒳&eacute;`);
    expect(text).toBe(`${before}é𝒳&amp;\uFFFD&amp; 𝒳é`);
    expect(reasons).toHaveLength(3);
  }
});

test('What is full of characters that XML forbids is left as it is', () => {
  const binary = '\u0001'.repeat(200_000);
  expect(repairRecord(binary)).toEqual({ text: binary, reasons: [] });
  expect(repairRecord('\u0001'.repeat(2000)).text).toBe('\uFFFD'.repeat(2000));
});
