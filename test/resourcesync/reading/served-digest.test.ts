import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { servedHashes } from '../../../src/resourcesync/reading/served-digest.ts';

const field = (name: string, algorithm: string) =>
  `${name}=:${createHash(algorithm).update('text').digest('base64')}:`;
const hex = (algorithm: string) => createHash(algorithm).update('text').digest('hex');

test('both fields are read, each algorithm that is active', () => {
  const headers = {
    'repr-digest': `${field('sha-256', 'sha256')}, ${field('sha-512', 'sha512')}`,
    'content-digest': field('sha-256', 'sha256'),
  };
  expect(servedHashes(200, headers)).toEqual([
    `sha-256:${hex('sha256')}`,
    `sha-512:${hex('sha512')}`,
    `sha-256:${hex('sha256')}`,
  ]);
});

test.each([
  ['of a part', 206, { 'repr-digest': field('sha-256', 'sha256') }],
  ['of what is coded', 200, { 'repr-digest': field('sha-256', 'sha256'), 'content-encoding': 'gzip' }],
  ['of an algorithm that proves nothing', 200, { 'repr-digest': field('md5', 'md5') }],
  ['too short', 200, { 'repr-digest': 'sha-256=:AAAA:' }],
  ['not a byte sequence', 200, { 'repr-digest': `sha-256=${hex('sha256')}` }],
])('a digest %s is none', (_what, status, headers) => {
  expect(servedHashes(status, headers)).toEqual([]);
});
