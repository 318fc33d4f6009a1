import { expect, test } from 'vitest';
import { describeAnswer } from '../../../src/server/operations/request-log.ts';

test.each([
  ['/share/c2VjcmV0', '/share/…'],
  ['/share/c2VjcmV0?lang=ja', '/share/…'],
  ['/kyoto/about', '/kyoto/about'],
])('a request for %s is logged as one for %s', (url, path) => {
  const answer = { method: 'GET', url, operationId: undefined, status: 200, milliseconds: 1 };
  expect(describeAnswer(answer)).toMatchObject({ path });
});
