import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { redact } from '../../src/core/secrets.ts';
import { credentialSource, parseCredentials } from '../../src/objects/credentials.ts';

const directory = mkdtempSync(join(tmpdir(), 'rsbridge-test-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const both = { accessKeyId: 'AKIA1', secretAccessKey: 'a/b+c=' };

test.each([
  ['[default]\naws_access_key_id = AKIA1\naws_secret_access_key=a/b+c=\n', both],
  ['aws_access_key_id=AKIA1\r\naws_secret_access_key = a/b+c= \r\n', both],
  [
    '[other]\naws_access_key_id=no\naws_secret_access_key=no\n[default]\naws_access_key_id=AKIA1\naws_secret_access_key=a/b+c=',
    both,
  ],
  ['[mine]\naws_access_key_id=AKIA1\naws_secret_access_key=a/b+c=', both],
  ['{"AccessKeyId":"AKIA1","SecretAccessKey":"a/b+c=","SessionToken":"t"}', { ...both, sessionToken: 't' }],
  ['{"AccessKeyId":"AKIA1"', undefined],
  ['', undefined],
])('%j', (text, expected) => {
  expect(parseCredentials(text)).toEqual(expected);
});

test('a file is read again when it changes, goes on being used while it is replaced, and is told to nobody', () => {
  const file = join(directory, 'credentials');
  const write = (name: string) =>
    writeFileSync(file, `aws_access_key_id=key-of-${name}\naws_secret_access_key=secret-of-${name}\n`);
  write('monday');
  const source = credentialSource({ credentialsFile: file });
  expect(source.current().secretAccessKey).toBe('secret-of-monday');
  write('wednesday');
  expect(source.current().secretAccessKey).toBe('secret-of-wednesday');
  writeFileSync(file, '');
  expect(source.current().secretAccessKey).toBe('secret-of-wednesday');
  rmSync(file);
  expect(source.current().secretAccessKey).toBe('secret-of-wednesday');
  expect(redact('it says secret-of-wednesday and secret-of-monday')).toBe('it says [secret] and [secret]');
});

test('without credentials it says where to write them', () => {
  expect(() => credentialSource({}).current()).toThrow('set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  const missing = credentialSource({ credentialsFile: join(directory, 'none') });
  expect(() => missing.current()).toThrow('there is no');
});
