import { expect, test } from 'vitest';
import { movedAddress } from '../../../src/core/addresses/moved-address.ts';

test.each([
  ['http://old/oai?verb=Identify', 'https://new/oai?verb=Identify', '', 'https://new/oai'],
  [
    'http://a/oai?verb=Identify',
    'http://a/index.php?page=oai&verb=Identify',
    '',
    'http://a/index.php?page=oai',
  ],
  // What is configured behind the address may be a secret.
  [
    'http://old/oai?key=s3cret&verb=Identify',
    'https://new/oai?key=s3cret&verb=Identify',
    '',
    'https://new/oai',
  ],
  ['http://old/oai?verb=Identify', 'https://me:s3cret@new/oai?verb=Identify#top', '', 'https://new/oai'],
  ['http://old/rest/status', 'https://new/dspace/rest/status', '/status', 'https://new/dspace/rest'],
  ['http://old/rest/status', 'https://new/', '/status', undefined],
  ['http://old/oai?verb=Identify', 'http://old:80/oai?verb=Identify', '', undefined],
])('%s that is answered at %s', (asked, answered, below, moved) => {
  expect(movedAddress(asked, answered, below)).toBe(moved);
});
