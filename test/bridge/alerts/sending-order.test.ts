import { Writable } from 'node:stream';
import { beforeEach, expect, test, vi } from 'vitest';
import { sendDue } from '../../../src/bridge/alerts/sending.ts';
import { createLog } from '../../../src/bridge/log.ts';
import { BridgeError } from '../../../src/core/errors.ts';
import { type AlertChannel, claimMessages, putMessage } from '../../../src/store/alerts/outbox.ts';
import { lookAtClock } from '../../../src/store/runs/clock-ahead.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

vi.setConfig({ testTimeout: 60_000 });

describeOnBoth('messages of one way', (open) => {
  const log = createLog('silent', new Writable({ write: (_c, _e, done) => done() }));
  let came: string[];
  /** By the id of a message: what is thrown in its place. */
  let failing: Map<string, Error>;
  beforeEach(async () => {
    [came, failing] = [[], new Map()];
    await open().database.writer('alert_message').delete();
  });

  /** Made so many milliseconds ago. */
  async function put(id: string, channel: AlertChannel, ago: number): Promise<void> {
    const { database } = open();
    const at = (await lookAtClock(database)) - ago;
    await database.transaction((trx) => putMessage(trx, { id, channel, content: '{"at":1}' }, at));
  }
  const send = () =>
    sendDue({
      ...{ database: open().database, log, stop: new AbortController().signal },
      channels: {
        send: async ({ id }) => {
          const error = failing.get(id);
          came.push(error ? `${id} failed` : id);
          if (error) throw error;
          return [];
        },
        close: () => undefined,
      },
    });
  const undelivered = (cause: Error) =>
    new BridgeError('alert-undelivered', 'hook did not take it', { cause, retryable: true });

  test('come in the order in which they were made, also when an older one waits to be tried again', async () => {
    await put('older', 'webhook', 5000);
    failing.set('older', undelivered(new Error('no answer within 20 seconds')));
    await send();
    await put('newer', 'webhook', 1000);
    await put('mail', 'mail', 500);
    await send();
    // What waits is no attempt of its own, and another way goes on.
    await send();
    expect(came).toEqual(['older failed', 'older failed', 'mail']);
    failing.clear();
    await put('newest', 'webhook', 0);
    await send();
    expect(came.slice(3)).toEqual(['older', 'newer', 'newest']);
  });

  test('are not held up by one that is refused', async () => {
    await put('refused', 'webhook', 5000);
    await put('newer', 'webhook', 1000);
    const error = Object.assign(new Error('it answered 413'), { code: 'MESSAGE_REFUSED' });
    failing.set('refused', undelivered(error));
    await send();
    expect(came).toEqual(['refused failed', 'newer']);
  });

  test('are not overtaken by what another process could take', async () => {
    const { database } = open();
    await put('older', 'slack', 5000);
    const now = await lookAtClock(database);
    expect((await claimMessages(database, { holder: 'elsewhere/7/x', now, limit: 1 })).length).toBe(1);
    await put('newer', 'slack', 1000);
    await send();
    expect(came).toEqual([]);
  });
});
