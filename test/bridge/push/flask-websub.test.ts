import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { listSubscriptions } from '../../../src/store/push/subscriptions.ts';
import { type SampleService, startSampleService } from '../../house/server/sample-service.ts';

/** Flask-WebSub, of a Python that has it (`.ci/run` sees to that). */
const python = process.env.WEBSUB_PYTHON ?? '';
if (python === '') process.stderr.write('SKIPPED: WEBSUB_PYTHON names no Python with Flask-WebSub\n');

let sample: SampleService | undefined;

beforeAll(async () => {
  if (python !== '') sample = await startSampleService('', {}, { push: { hub: true, allow: ['127.0.0.1'] } });
}, 120_000);
afterAll(() => sample?.close());

test.skipIf(python === '')(
  'Flask-WebSub finds a channel, subscribes, is told, and leaves',
  async () => {
    if (!sample) throw new Error('nothing was started');
    const { base, directory, bridge } = sample;
    const topic = `${base}/sample/change-notification.xml`;
    const soon = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 50 });
    await soon(async () => expect((await fetch(topic)).status).toBe(200));
    const script = join(import.meta.dirname, '..', '..', 'house', 'interop', 'websub-subscriber.py');
    const child = spawn(python, [script, topic, directory], { stdio: ['pipe', 'pipe', 'ignore'] });
    const events: Record<string, string>[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => events.push(JSON.parse(line)));
    try {
      await soon(() => expect(events).toContainEqual({ event: 'subscribe', topic }));
      expect(events[0]).toEqual({ event: 'discovered', hub_url: `${base}/hub`, topic_url: topic });
      await soon(async () => expect(await listSubscriptions(bridge.database.reader)).toHaveLength(1));
      await sample.edit(2);
      await soon(() => expect(events.some(({ event }) => event === 'told')).toBe(true));
      const told = events.find(({ event }) => event === 'told');
      expect(told?.body).toContain('capability="change-notification"');
      child.stdin.write('leave\n');
      await soon(() => expect(events).toContainEqual({ event: 'unsubscribe', topic }));
      await soon(async () => expect(await listSubscriptions(bridge.database.reader)).toEqual([]));
    } finally {
      child.kill('SIGKILL');
    }
  },
  180_000,
);
