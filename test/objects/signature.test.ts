import { expect, test } from 'vitest';
import { presignedUrl, signedHeaders } from '../../src/objects/signature.ts';

/** The examples of the documentation of Amazon S3 ("Signature Calculations for the Authorization Header"). */
const signing = {
  credentials: {
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  },
  region: 'us-east-1',
  now: new Date('2013-05-24T00:00:00Z'),
};
const host = 'https://examplebucket.s3.amazonaws.com';
const nothing = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

test.each([
  [
    'GET',
    '/test.txt',
    { range: 'bytes=0-9' },
    nothing,
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  [
    'PUT',
    '/test%24file.text',
    { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
    '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  ],
  ['GET', '/?lifecycle', {}, nothing, 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'],
  [
    'GET',
    '/?max-keys=2&prefix=J',
    {},
    nothing,
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  ],
])('%s %s is signed as documented', (method, path, headers, payloadHash, signature) => {
  const request = {
    method,
    url: new URL(host + path),
    headers: headers as Record<string, string>,
    payloadHash,
  };
  expect(signedHeaders(request, signing).authorization).toContain(`Signature=${signature}`);
});

test('an address is signed as documented', () => {
  const url = presignedUrl('GET', new URL(`${host}/test.txt`), 86_400, signing);
  expect(url).toContain('X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404');
  expect(url).toContain('X-Amz-Expires=86400');
});

test('a session has its token signed, too', () => {
  const credentials = { ...signing.credentials, sessionToken: 'a token' };
  const request = { method: 'GET', url: new URL(`${host}/test.txt`), headers: {}, payloadHash: nothing };
  const headers = signedHeaders(request, { ...signing, credentials });
  expect(headers['x-amz-security-token']).toBe('a token');
  expect(headers.authorization).toContain(
    'SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,',
  );
});
