import { expect, test } from 'vitest';
import { whyWithheld } from '../../../src/core/time/withheld.ts';

const at = '2026-11-21T00:00:00Z';

test.each(['metadata', 'file'] as const)('the past of %s that is there is handed out', (kind) => {
  expect(whyWithheld({ kind, deletedAt: undefined }, false)).toBeUndefined();
  expect(whyWithheld({ kind, deletedAt: undefined, withdrawnAt: undefined }, true)).toBeUndefined();
});

test.each(['metadata', 'file'] as const)('the past of %s that was withdrawn never is', (kind) => {
  const said = `neither this resource nor what it was has been public since ${at}`;
  expect(whyWithheld({ kind, deletedAt: undefined, withdrawnAt: at }, true)).toBe(said);
  expect(whyWithheld({ kind, deletedAt: '2026-11-20T00:00:00Z', withdrawnAt: at }, true)).toBe(said);
});

test('the past of a file that was deleted never is', () => {
  for (const ofDeleted of [true, false])
    expect(whyWithheld({ kind: 'file', deletedAt: at }, ofDeleted)).toBe(
      `this file was deleted at ${at}, and all its versions with it`,
    );
});

test('the past of metadata that was deleted is, unless the configuration says otherwise', () => {
  expect(whyWithheld({ kind: 'metadata', deletedAt: at }, true)).toBeUndefined();
  expect(whyWithheld({ kind: 'metadata', deletedAt: at }, false)).toBe(
    `this resource was deleted at ${at}, and its versions are not served any more`,
  );
});
