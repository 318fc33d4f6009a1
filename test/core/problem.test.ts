import { expect, test } from 'vitest';
import { forbidsDeletions } from '../../src/core/problem.ts';

test('what is told of one record forbids no deletion of others', () => {
  expect(forbidsDeletions({ code: 'record-quarantined', message: '', identifier: 'a' })).toBe(false);
  expect(forbidsDeletions({ code: 'record-repaired', message: '', identifier: 'a' })).toBe(false);
});

test('a record whose identifier nobody knows may be any, and a list in doubt has any', () => {
  expect(forbidsDeletions({ code: 'record-quarantined', message: '' })).toBe(true);
  expect(forbidsDeletions({ code: 'list-doubtful', message: '' })).toBe(true);
});

test('a habit of the endpoint says nothing of its records', () => {
  expect(forbidsDeletions({ code: 'endpoint-quirk', message: '' })).toBe(false);
});
