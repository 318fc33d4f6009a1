import { expect, test } from 'vitest';
import { AnswerMemory, type Asked } from '../../../src/server/repeated/answer-memory.ts';

const asked = (target: string, rest: Partial<Asked> = {}): Asked => ({
  ...{ method: 'GET', target, accept: undefined, acceptEncoding: undefined, acceptDatetime: undefined },
  ...{ ifNoneMatch: undefined, ifModifiedSince: undefined, ...rest },
});
const answer = (text: string) => ({
  ...{ status: 200, headers: ['ETag', `"${text}"`], body: Buffer.alloc(1000) },
  grounds: { operationId: 'getDocument', hold: () => true },
});

test('an answer is that of this very request', () => {
  const memory = new AnswerMemory();
  const fields = ['accept', 'acceptEncoding', 'acceptDatetime', 'ifNoneMatch', 'ifModifiedSince'] as const;
  for (const field of fields) memory.add(asked('/a', { [field]: 'x' }), answer(field));
  for (const field of fields) {
    expect(memory.find(asked('/a', { [field]: 'x' }))?.headers[1]).toBe(`"${field}"`);
    expect(memory.find(asked('/a', { [field]: 'y' }))).toBeUndefined();
  }
  expect(memory.find(asked('/a'))).toBeUndefined();
  expect(memory.find(asked('/a', { method: 'HEAD', accept: 'x' }))).toBeUndefined();
});

test('it has room for so many bytes, and what is asked for stays', () => {
  const memory = new AnswerMemory(40_960);
  for (let number = 0; number < 200; number += 1) {
    memory.add(asked(`/${number}`), answer(String(number)));
    expect(memory.find(asked('/0')), String(number)).toBeDefined();
  }
  const kept = Array.from({ length: 200 }, (_, number) => memory.find(asked(`/${number}`))).filter(Boolean);
  expect(kept.length).toBeLessThan(20);
  expect(kept.length).toBeGreaterThan(5);
});

test('there are few answers of one address, and none that is longer than the room', () => {
  const memory = new AnswerMemory(40_960);
  for (let number = 0; number < 20; number += 1)
    memory.add(asked('/a', { accept: `${number}` }), answer('a'));
  expect(memory.find(asked('/a', { accept: '0' }))).toBeUndefined();
  expect(memory.find(asked('/a', { accept: '19' }))).toBeDefined();
  memory.add(asked('/b'), { ...answer('b'), body: Buffer.alloc(50_000) });
  expect(memory.find(asked('/b'))).toBeUndefined();
});

test('what depends on the language is only for those who ask for the same one', () => {
  const memory = new AnswerMemory();
  const page = { ...answer('ja'), headers: ['etag', '"ja"', 'vary', 'Accept, Accept-Language, Cookie'] };
  memory.add(asked('/page', { acceptLanguage: 'ja' }), page);
  expect(memory.find(asked('/page', { acceptLanguage: 'ja' }))).toBeDefined();
  expect(memory.find(asked('/page', { acceptLanguage: 'en' }))).toBeUndefined();
  expect(memory.find(asked('/page'))).toBeUndefined();
  expect(memory.find(asked('/page', { acceptLanguage: 'ja', cookie: 'a=b' }))).toBeUndefined();
  memory.add(asked('/list', { acceptLanguage: 'ja', cookie: 'a=b' }), answer('list'));
  expect(memory.find(asked('/list', { acceptLanguage: 'en' }))).toBeDefined();
});
