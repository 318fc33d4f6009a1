import { expect, test } from 'vitest';
import { AddedKeys } from '../../../src/sync/state/added-keys.ts';

test('what was added is never denied, nor the folders it lies in, and little else is taken for it', () => {
  const keys = new AddedKeys();
  const path = (number: number) => `repo/items/${number % 3_000}/deep/${number}.xml`;
  for (let number = 0; number < 20_000; number += 1) keys.addPath(path(number));
  for (let number = 0; number < 20_000; number += 1) {
    expect(keys.mayHave(path(number))).toBe(true);
    expect(keys.mayHave(`repo/items/${number % 3_000}/deep/`)).toBe(true);
  }
  expect(keys.mayHave('repo/')).toBe(true);
  expect(keys.mayHave('repo/items/')).toBe(true);
  const mistaken = Array.from({ length: 20_000 }, (_, number) => `other/${number}`).filter((key) =>
    keys.mayHave(key),
  );
  expect(mistaken.length).toBeLessThan(20);
});
