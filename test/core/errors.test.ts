import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { BridgeError, describeError, failure, isBridgeError } from '../../src/core/errors.ts';

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

test.each(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'])(
  '%s: the server speaks http alone',
  (code) => {
    const raw =
      '80CCE17C5A7F0000:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../x.c:350:\n';
    expect(describeError(Object.assign(new Error(raw), { code }))).toBe(
      `the server does not speak https there (${code}): where it is to be read without encryption, write http:// in place of https://`,
    );
  },
);

test.each([
  ['ENOENT', 'there is no /x'],
  ['EEXIST', '/x exists already'],
  ['EACCES', 'this user may not open /x'],
  ['EPERM', 'this user may not open /x'],
  ['EROFS', '/x is on a read-only file system'],
  ['ENOTDIR', 'a part of the path /x is a file, not a directory'],
  ['EISDIR', '/x is a directory, not a file'],
  ['ELOOP', 'the symbolic links of /x lead in a circle'],
  ['ENOTEMPTY', 'the directory /x is not empty'],
  ['EIO', 'the disk fails at /x'],
  // What nobody has put into words yet is told as the system tells it.
  ['EXDEV', 'EXDEV: open /x'],
])('%s of a file: %s', (code, said) => {
  expect(describeError(Object.assign(new Error(`${code}: open /x`), { code, path: '/x' }))).toBe(said);
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
  [
    { code: 'EAI_AGAIN', syscall: 'getaddrinfo', hostname: 'repo.example' },
    'the name repo.example cannot be looked up: no network, or no name server (EAI_AGAIN)',
  ],
  [
    { code: 'EAI_AGAIN', syscall: 'getaddrinfo' },
    'the name of the host cannot be looked up: no network, or no name server (EAI_AGAIN)',
  ],
  [
    { code: 'ENETUNREACH', syscall: 'connect', address: '192.0.2.1' },
    'no network leads to 192.0.2.1 (ENETUNREACH)',
  ],
  [{ code: 'EHOSTUNREACH', syscall: 'connect' }, 'no network leads to it (EHOSTUNREACH)'],
  [
    { code: 'ETIMEDOUT', syscall: 'connect', address: '192.0.2.1', port: 443 },
    '192.0.2.1:443 did not answer in time (ETIMEDOUT)',
  ],
  [{ code: 'ETIMEDOUT', syscall: 'connect' }, 'connect ETIMEDOUT'],
  [{ code: 'ENOTFOUND', syscall: 'getaddrinfo' }, 'getaddrinfo ENOTFOUND'],
])('what the system says of a connection is told in words', (facts, said) => {
  expect(describeError(Object.assign(new Error(`${facts.syscall} ${facts.code}`), facts))).toBe(said);
});

test('what is about neither is told as it is', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
  expect(describeError(refused)).toBe('connect ECONNREFUSED 127.0.0.1:1');
  expect(describeError(Object.assign(new Error(''), { code: 'EPIPE' }))).toBe('EPIPE');
});

test('the causes are told after it, as far as they say something else', () => {
  const chain = (...messages: readonly string[]) =>
    messages.reduceRight<Error | undefined>((cause, message) => new Error(message, { cause }), undefined);
  expect(describeError(chain('the page failed', 'the page', 'it was cut'))).toBe(
    'the page failed: it was cut',
  );
  expect(describeError(chain('1', '2', '3', '4', '5', '6'))).toBe('1: 2: 3: 4: 5');
  expect(describeError(new Error('it failed', { cause: 'the disk' }))).toBe('it failed: the disk');
  expect(describeError(new Error('it failed', { cause: null }))).toBe('it failed');
  expect(describeError(new TypeError(''))).toBe('TypeError');
  expect(describeError('no error')).toBe('no error');
  expect(describeError(undefined)).toBe('');
});

test('of several addresses that were tried, the first is told', () => {
  const refused = { code: 'ECONNREFUSED', port: 80 };
  const errors = ['::1', '127.0.0.1'].map((address) =>
    Object.assign(new Error(`connect ${address}`), { ...refused, address }),
  );
  expect(describeError(new AggregateError(errors, 'no address'))).toBe(
    'no address: no program answers at ::1:80 (ECONNREFUSED)',
  );
  expect(describeError(Object.assign(new AggregateError([], 'none'), { cause: new Error('no name') }))).toBe(
    'none: no name',
  );
});

describe('a failure has the code that docs/errors.md explains', () => {
  const known = new BridgeError('config-missing', 'there is none');

  test('also where the one that knows it is the cause', () => {
    expect(failure(known)).toEqual({ code: 'config-missing', reason: 'there is none' });
    const outer = new Error('no start', { cause: new Error('no settings', { cause: known }) });
    expect(failure(outer)).toEqual({
      code: 'config-missing',
      reason: 'no start: no settings: there is none',
    });
  });

  test.each([
    ['ENOSPC', 'disk-full'],
    ['EDQUOT', 'disk-full'],
    ['EMFILE', 'too-many-files'],
    ['ENFILE', 'too-many-files'],
    ['SQLITE_BUSY', 'database-locked'],
    ['ECONNRESET', 'internal'],
    ['constructor', 'internal'],
    [7, 'internal'],
  ])('%s of the system is %s', (code, expected) => {
    expect(failure(Object.assign(new Error('x'), { code })).code).toBe(expected);
  });

  test('and what is none of ours is internal', () => {
    expect(failure('x')).toEqual({ code: 'internal', reason: 'x' });
    expect(failure(undefined)).toEqual({ code: 'internal', reason: '' });
  });

  test('by which it can be told from others, with what to do next', () => {
    expect(isBridgeError(known)).toBe(true);
    expect(isBridgeError(known, 'config-missing')).toBe(true);
    expect(isBridgeError(known, 'config-invalid')).toBe(false);
    expect(isBridgeError(new Error('config-missing'))).toBe(false);
    expect(known).toMatchObject({ name: 'BridgeError', retryable: false });
    expect(new BridgeError('config-missing', '', { retryable: true }).retryable).toBe(true);
    expect(known.advice).toMatch(/\w+/);
    expect(known).not.toHaveProperty('cause');
  });
});
