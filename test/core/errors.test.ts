import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BridgeError, describeError } from '../../src/core/errors.ts';

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

test('what the system says of a file is told in words, once', () => {
  const missing = thrownBy(() => readFileSync('/nowhere/rsbridge.yaml'));
  expect(describeError(missing)).toBe('there is no /nowhere/rsbridge.yaml');
  const told = new BridgeError('config-missing', 'there is no /nowhere/rsbridge.yaml', { cause: missing });
  expect(describeError(told)).toBe('there is no /nowhere/rsbridge.yaml');
  expect(describeError(thrownBy(() => readFileSync('/')))).toBe('it is a directory, not a file');
  const refused = Object.assign(new Error("EACCES: permission denied, open '/x'"), {
    code: 'EACCES',
    path: '/x',
  });
  expect(describeError(refused)).toBe('this user may not open /x');
});

test.each([
  [
    { code: 'ECONNREFUSED', syscall: 'connect', address: '127.0.0.1', port: 1 },
    'no program answers at 127.0.0.1:1 (ECONNREFUSED)',
  ],
  [
    { code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname: 'repo.invalid' },
    'there is no host named repo.invalid (ENOTFOUND)',
  ],
])('what the system says of a connection is told in words', (facts, said) => {
  expect(describeError(Object.assign(new Error(`${facts.syscall} ${facts.code}`), facts))).toBe(said);
});

test('what is about neither is told as it is', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
  expect(describeError(refused)).toBe('connect ECONNREFUSED 127.0.0.1:1');
  expect(describeError(Object.assign(new Error(''), { code: 'EPIPE' }))).toBe('EPIPE');
});
