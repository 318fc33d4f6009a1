import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Subscriber, startSubscriber } from '../../house/push/subscriber.ts';
import { type SampleService, startSampleService } from '../../house/server/sample-service.ts';

let sample: SampleService;
let foreignHub: Subscriber;

beforeAll(async () => {
  foreignHub = await startSubscriber();
  const push = { externalHubs: [`${foreignHub.base}/`], allow: ['127.0.0.1'] };
  sample = await startSampleService('', {}, { push });
}, 120_000);
afterAll(async () => {
  await sample?.close();
  await foreignHub?.close();
});

test('what changes as soon as a source is published for the first time is told, too', async () => {
  const topic = `${sample.base}/sample/change-notification.xml`;
  expect((await fetch(topic)).status).toBe(200);
  await sample.edit(2);
  const told = () => foreignHub.deliveries().map(({ body }) => new URLSearchParams(body.toString()));
  await vi.waitFor(() => expect(told().map((form) => form.get('hub.url'))).toContain(topic), {
    ...{ timeout: 60_000, interval: 25 },
  });
}, 120_000);
