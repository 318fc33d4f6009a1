import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ping, postJson, signatureHeaders } from '../../../../src/bridge/alerts/channels/post.ts';
import { openReceiver, type Receiver } from '../../../house/alerts/receivers.ts';

let receiver: Receiver;
const secret = 'a secret of the hook';

beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(() => receiver.close());

const posted = (more: { allow?: readonly string[]; allowPrivate?: boolean } = {}) => ({
  url: `${receiver.url}/services/T000/secret-path`,
  userAgent: 'resourcesync-bridge/test',
  places: { allow: [], allowPrivate: true, ...more },
});

test('what the documentation shows tells our messages from others', async () => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'alerts.md'), 'utf8');
  const code = /```js\n(.*?)```/s.exec(page)?.[1] ?? '';
  const { isGenuine } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  const seconds = Math.floor(Date.now() / 1000);
  for (const key of [secret, `whsec_${Buffer.from('another key').toString('base64')}`]) {
    const body = '{"text":"京都"}';
    await postJson(posted(), body, signatureHeaders({ id: 'abc', body }, key, seconds));
    const got = receiver.requests.at(-1);
    expect(isGenuine(got?.headers, got?.body, key)).toBe(true);
    expect(isGenuine(got?.headers, `${got?.body} `, key)).toBe(false);
    expect(isGenuine({ ...got?.headers, 'webhook-id': 'abd' }, got?.body, key)).toBe(false);
    expect(isGenuine(got?.headers, got?.body, 'another secret')).toBe(false);
    expect(isGenuine(got?.headers, got?.body, key, seconds + 600)).toBe(false);
    expect(isGenuine({}, got?.body, key)).toBe(false);
  }
});

test.each([302, 404, 500])('an answer of %i is no delivery, and no redirect is followed', async (status) => {
  receiver.status = status;
  const sent = postJson(posted(), '{}');
  await expect(sent).rejects.toMatchObject({ code: 'alert-undelivered', retryable: true });
  // The path is a secret.
  await expect(sent).rejects.not.toThrow(/secret-path/);
  expect(receiver.requests.map(({ path }) => path)).toEqual(['/services/T000/secret-path']);
});

test('private addresses are asked only where the configuration allows it', async () => {
  const refused = ping(posted({ allowPrivate: false }));
  await expect(refused).rejects.toMatchObject({ code: 'alert-undelivered', retryable: false });
  await expect(refused).rejects.toThrow('alerts.allowPrivateAddresses: true');
  const byName = { ...posted({ allowPrivate: false }), url: receiver.url.replace('127.0.0.1', 'localhost') };
  await expect(ping(byName)).rejects.toThrow('alerts.allowPrivateAddresses: true');
  expect(receiver.requests).toEqual([]);
  await ping(posted({ allowPrivate: false, allow: ['127.0.0.0/8'] }));
  expect(receiver.requests.map(({ method }) => method)).toEqual(['GET']);
});
