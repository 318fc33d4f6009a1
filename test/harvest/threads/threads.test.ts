import { setFlagsFromString } from 'node:v8';
import { afterEach, describe, expect, test } from 'vitest';
import { isBridgeError } from '../../../src/core/errors.ts';
import { createThreads, type OwnThreads } from '../../../src/harvest/threads/threads.ts';

const script = new URL('../../house/harvest/odd-thread.ts', import.meta.url);

let open: OwnThreads | undefined;
afterEach(async () => open?.close());

function threadsThatLog(most: number) {
  const logged: { message: string; code?: string; reason?: string }[] = [];
  const note = (fields: object, message: string) => void logged.push({ ...fields, message });
  const log = { debug: note, info: note, warn: note, error: note };
  open = createThreads(most, log, { oldGeneration: 32, youngGeneration: 4 });
  return { threads: open, logged };
}

/** One message and what comes of it. */
function ask(threads: OwnThreads, what: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const job = threads.begin(script, {
      answer: (answer) => {
        job.end();
        resolve(answer);
      },
      lost: reject,
    });
    job.send(what);
  });
}

describe('A thread', () => {
  test('answers each of its jobs', async () => {
    const { threads } = threadsThatLog(1);
    expect(await Promise.all(['a', 'b', 'c'].map((what) => ask(threads, what)))).toEqual(['a', 'b', 'c']);
  });

  test('that needs too much memory ends with its jobs, and the next has another one', async () => {
    const { threads, logged } = threadsThatLog(1);
    const error = await ask(threads, 'fill').catch((reason: unknown) => reason);
    expect(isBridgeError(error, 'out-of-memory')).toBe(true);
    expect(logged).toMatchObject([{ code: 'out-of-memory', message: 'a thread ended' }]);
    expect(await ask(threads, 'on')).toBe('on');
  });

  test.each([
    ['throw', 'an odd failure'],
    ['reject', 'an odd rejection'],
  ])('whose code fails (%s) says so in the log, and the next job has another one', async (what, reason) => {
    const { threads, logged } = threadsThatLog(1);
    const waiting = ask(threads, 'fine');
    expect(await waiting).toBe('fine');
    await expect(ask(threads, what).then(() => ask(threads, 'more'))).rejects.toThrow(reason);
    expect(logged).toMatchObject([{ code: 'internal', reason, message: 'a thread ended' }]);
    expect(await ask(threads, 'on')).toBe('on');
  });

  test('that leaves by itself is noticed', async () => {
    const { threads } = threadsThatLog(1);
    await expect(ask(threads, 'leave')).rejects.toThrow('ended with 3');
  });

  test('has its warnings in the log', async () => {
    const { threads, logged } = threadsThatLog(1);
    await ask(threads, 'warn');
    await expect.poll(() => logged.map(({ reason }) => reason).join()).toContain('an odd warning');
  });

  test('has as much space for young objects as it is given, whatever the process has', async () => {
    setFlagsFromString('--max-semi-space-size=16');
    const { threads } = threadsThatLog(1);
    const octets = Number(await ask(threads, 'churn'));
    expect(octets).toBeGreaterThan(0);
    // V8 rounds up what it is given, and newer ones count both halves; of 16 MB it would take 32.
    expect(octets).toBeLessThanOrEqual(16 * 1024 * 1024);
  });

  test('is started by whoever asks whether there is one, and who asks does not wait for it', async () => {
    const { threads } = threadsThatLog(1);
    expect(threads.isReady(script)).toBe(false);
    await expect.poll(() => threads.isReady(script), { timeout: 20_000 }).toBe(true);
    expect(await ask(threads, 'a')).toBe('a');
  });

  test('that starts is not waited for while another one can hear', async () => {
    const { threads } = threadsThatLog(2);
    await ask(threads, 'a');
    const order: unknown[] = [];
    await Promise.all(['churn', 'b', 'c'].map(async (what) => order.push(await ask(threads, what))));
    expect(order).toHaveLength(3);
    expect(threads.isReady(script)).toBe(true);
  });

  test('has ended by what it was given: the next is left to a thread, too', async () => {
    const { threads } = threadsThatLog(1);
    await ask(threads, 'fill').catch(() => undefined);
    expect(threads.isReady(script)).toBe(true);
  });

  test('is gone when they are closed, and what it owed is lost', async () => {
    const { threads } = threadsThatLog(2);
    await ask(threads, 'a');
    const owed = new Promise((_, reject) => threads.begin(script, { answer: () => undefined, lost: reject }));
    await Promise.all([expect(owed).rejects.toThrow('stopped'), threads.close()]);
  });
});
