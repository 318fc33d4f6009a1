import { expect, test } from 'vitest';
import { stateWords } from '../../../src/server/words/states.ts';

test('a state is the same sentence as before in English, and one in Japanese', () => {
  const { en, ja } = stateWords;
  expect(en.found(en.newHarvest, 1, 2, 3)).toBe(
    'the last harvest of what is new found 1 new, 2 changed and 3 deleted',
  );
  expect(ja.found(ja.newHarvest, 1, 2, 3)).toBe(
    '前回の差分ハーベストの結果は追加1件、更新2件、削除3件でした',
  );
  expect([en.unreadable('kyushu', 1), en.unreadable('kyushu', 2)]).toEqual([
    '1 record needs attention: it could not be read (rsbridge problems kyushu)',
    '2 records need attention: they could not be read (rsbridge problems kyushu)',
  ]);
  const refusal =
    '12 resources are no longer in the list of kyushu and would be deleted, but that is more than 10 % of 40';
  expect(ja.attention(refusal)).toBe(
    '確認が必要です: kyushu の一覧から 12 件のリソースが消えています。40 件の 10% を超えるため、削除を保留しています',
  );
  expect(ja.attention('parts of it are in doubt')).toBe('確認が必要です: parts of it are in doubt');
  expect(en.first(en.recordsOf(12, 40))).toBe('first harvest under way: 12 of about 40 records so far');
});
