import { expect, test } from 'vitest';
import { parseSubscriptionRequest, topicPath } from '../../../src/core/push/subscription-request.ts';

const baseUrl = 'https://repo.example.org/rs';
const good = {
  'hub.mode': 'subscribe',
  'hub.topic': `${baseUrl}/kyoto/change-notification.xml`,
  'hub.callback': 'https://a.example/cb',
};
const parse = (more: Record<string, string> = {}, base = baseUrl) =>
  parseSubscriptionRequest(new URLSearchParams({ ...good, ...more }), {
    baseUrl: base,
    defaultLease: 864_000,
  });

test('a request is what it asks for; what nobody knows is ignored', () => {
  expect(parse({ foo: 'bar', 'hub.foo': 'bar' })).toEqual({
    ...{ mode: 'subscribe', callback: good['hub.callback'], topic: good['hub.topic'] },
    ...{ secret: undefined, leaseSeconds: 864_000 },
  });
  expect(parse({ 'hub.secret': 'x'.repeat(199) })).toMatchObject({ secret: 'x'.repeat(199) });
  expect(parse({ 'hub.lease_seconds': '' })).toMatchObject({ leaseSeconds: 864_000 });
});

test.each([
  ['1', 300],
  ['0', 300],
  ['300', 300],
  ['86400', 86_400],
  ['2678400', 2_678_400],
  ['2678401', 2_678_400],
  ['999999999999999', 2_678_400],
])('a lease of %s seconds is one of %i', (wanted, granted) =>
  expect(parse({ 'hub.lease_seconds': wanted })).toMatchObject({ leaseSeconds: granted }),
);

test.each([
  [{ 'hub.mode': 'publish' }, 'knows itself when they change'],
  [{ 'hub.mode': 'denied' }, 'subscribe or unsubscribe'],
  [{ 'hub.mode': '' }, 'subscribe or unsubscribe'],
  [{ 'hub.callback': '' }, 'hub.callback is missing'],
  [{ 'hub.topic': '' }, 'hub.topic is missing'],
  [{ 'hub.callback': 'ftp://a.example/' }, 'hub.callback cannot be called'],
  [{ 'hub.secret': 'x'.repeat(200) }, 'longer than 199 bytes'],
  [{ 'hub.secret': '鍵'.repeat(67) }, 'longer than 199 bytes'],
  [{ 'hub.lease_seconds': '-5' }, 'a number of seconds'],
  [{ 'hub.lease_seconds': '1e9' }, 'a number of seconds'],
  [{ 'hub.lease_seconds': '9'.repeat(16) }, 'a number of seconds'],
])('%j is refused', (more, said) => expect(parse(more as Record<string, string>)).toContain(said));

test('a parameter that is there twice is no request', () => {
  const form = new URLSearchParams(good);
  form.append('hub.callback', 'https://b.example/');
  expect(parseSubscriptionRequest(form, { baseUrl, defaultLease: 1 })).toBe('hub.callback is there twice');
});

test('a secret is not taken where others can read it', () => {
  expect(parse({ 'hub.secret': 's' }, 'http://repo.example.org')).toContain('not taken over http');
  expect(parse({ 'hub.secret': 's' }, 'http://127.0.0.1:8080')).toMatchObject({ secret: 's' });
});

test('a topic is one letter by letter; what is probably meant is said', () => {
  expect(topicPath(good['hub.topic'], baseUrl)).toEqual({ path: 'kyoto/change-notification.xml' });
  for (const variant of [
    'https://repo.example.org/rs/kyoto/change-notification.xml/',
    'http://repo.example.org/rs/kyoto/change-notification.xml',
    'https://REPO.example.org/rs/kyoto/change-notification.xml',
    'https://repo.example.org/rs/kyoto/change-notification.xml?x=1',
    'https://repo.example.org/rs/kyoto/change-notification.xml#x',
  ])
    expect(topicPath(variant, baseUrl)).toEqual({ instead: good['hub.topic'] });
  for (const foreign of [
    'https://other.example/rs/kyoto/change-notification.xml',
    'x',
    'https://repo.example.org/',
  ])
    expect(topicPath(foreign, baseUrl)).toBeUndefined();
});
