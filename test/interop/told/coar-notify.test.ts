import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { reportHarvests } from '../../../src/bridge/notifications/reporting.ts';
import { readNotification } from '../../../src/core/notifications/notification.ts';
import { listNotifications } from '../../../src/store/notifications/inbox.ts';
import { type Stranger, startStranger } from '../../house/interop/stranger.ts';
import { freePort } from '../../house/process/free-port.ts';
import { type Subscriber, startSubscriber } from '../../house/push/subscriber.ts';
import { type SampleService, startSampleService } from '../../house/server/sample-service.ts';

/** coarnotify, of a Python that has it (`.ci/run` sees to that). */
const python = process.env.COAR_NOTIFY_PYTHON ?? '';
if (python === '') process.stderr.write('SKIPPED: COAR_NOTIFY_PYTHON names no Python with coarnotify\n');

interface Event {
  readonly event: string;
  readonly [more: string]: unknown;
}

const soon = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 50 });
const day = 86_400_000;
let sample: SampleService;
let inbox: Subscriber;
let library: Stranger<Event> | undefined;
let service = '';

beforeAll(async () => {
  inbox = await startSubscriber();
  service = `http://127.0.0.1:${await freePort()}`;
  sample = await startSampleService(
    '/rs',
    {},
    {
      push: { allow: ['127.0.0.1'] },
      coarNotify: {
        partners: {
          repository: {
            service: 'https://repo.example.org',
            inbox: `${inbox.base}/inbox`,
            sources: ['sample'],
          },
          ...(python !== '' && {
            library: { service, inbox: `${service}/inbox`, from: ['127.0.0.1'], sources: ['sample'] },
          }),
        },
      },
    },
  );
  if (python === '') return;
  const script = join(import.meta.dirname, '..', '..', 'house', 'interop', 'coar-notify.py');
  library = startStranger<Event>(python, [script, new URL(service).port, service]);
  await soon(() => expect(library?.events).toContainEqual({ event: 'listens' }));
}, 120_000);
afterAll(async () => {
  library?.end();
  await sample?.close();
  await inbox?.close();
});

test('a partner is told where the report of its harvest is, once, until something else is to be said', async () => {
  let refusals = 1;
  inbox.behave((_, reply) => {
    refusals -= 1;
    reply.writeHead(refusals < 0 ? 201 : 200, { location: `${inbox.base}/inbox/1` }).end();
  });
  const now = Date.now();
  await reportHarvests(sample.bridge, now);
  // 200 is no answer of an inbox: it is sent again, as it was.
  await soon(() => expect(inbox.deliveries('/inbox')).toHaveLength(2));
  const [first, again] = inbox.deliveries('/inbox');
  expect(again?.body.toString()).toBe(first?.body.toString());
  expect(first?.headers['content-type']).toBe(
    'application/ld+json;profile="https://www.w3.org/ns/activitystreams"',
  );
  const told = JSON.parse(first?.body.toString() ?? '') as {
    object: { id: string };
    context: { id: string };
  };
  expect(told).toMatchObject({
    ...{ id: expect.stringMatching(/^urn:uuid:[0-9a-f-]{36}$/), type: ['Announce'] },
    origin: { id: sample.base, inbox: `${sample.base}/inbox`, type: 'Service' },
    target: { id: 'https://repo.example.org', inbox: `${inbox.base}/inbox`, type: 'Service' },
    context: { id: sample.bridge.config.sources.sample?.url },
    summary: expect.stringContaining('All is well.'),
  });
  expect(readNotification(first?.body ?? Buffer.alloc(0), `${inbox.base}/inbox`)).toMatchObject({
    notification: { pattern: 'announce-service-result', origin: sample.base },
  });
  const page = await fetch(told.object.id);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('All is well.')]);
  await reportHarvests(sample.bridge, now + day);
  const { reader, writer } = sample.bridge.database;
  const queued = () => reader('push_notification').where({ media_type: 'application/json' }).select('seq');
  const before = (await queued()).length;
  const { id } = await reader('source').where({ name: 'sample' }).first('id');
  await writer('unreadable').insert({
    ...{ source_id: id, place: 'broken', format: 'oai_dc', identifier: 'oai:sample:broken', run_id: 1 },
    ...{ code: 'bad-record', message: 'it ends in the middle' },
    ...{ first_at: '2026-11-26T00:00:00Z', last_at: '2026-11-26T00:00:00Z' },
  });
  await reportHarvests(sample.bridge, now + day - 1000);
  expect(await queued()).toHaveLength(before);
  await reportHarvests(sample.bridge, now + day);
  await soon(() => expect(inbox.deliveries('/inbox')).toHaveLength(3));
  expect(inbox.deliveries('/inbox')[2]?.body.toString()).toContain('Records that cannot be read: 1.');
});

test.skipIf(python === '')('coarnotify takes the announcement for what it is', async () => {
  await soon(() =>
    expect(library?.events).toContainEqual(
      expect.objectContaining({ event: 'received', pattern: 'AnnounceServiceResult' }),
    ),
  );
  expect(library?.events.filter(({ event }) => event === 'refused')).toEqual([]);
});

test.skipIf(python === '')('coarnotify announces a review, and the item is read again', async () => {
  const list = await (await fetch(`${sample.base}/sample/resourcelist.xml`)).text();
  const [, item = ''] = /<loc>([^<]+\.xml)<\/loc>/.exec(list) ?? [];
  library?.say(`${sample.base} ${item}`);
  await soon(() => expect(library?.events.some(({ event }) => event.endsWith('sent'))).toBe(true));
  const { reader } = sample.bridge.database;
  const [kept] = await listNotifications(reader, { limit: 1 });
  expect(library?.events.find(({ event }) => event.endsWith('sent'))).toEqual({
    ...{ event: 'sent', action: 'created', location: `${sample.base}/inbox/${kept?.number}` },
  });
  const metrics = await (await fetch(`${sample.base}/metrics`)).text();
  expect(metrics).toContain('rsbridge_inbox_notifications{partner="library",outcome="item"} 1');
  expect(metrics).toMatch(/rsbridge_push_subscriptions\{kind="coar-notify",state="\w+"\} [12]/);
  expect(kept).toMatchObject({
    partner: 'library',
    pattern: 'announce-review',
    outcome: 'item',
    source: 'sample',
  });
});
