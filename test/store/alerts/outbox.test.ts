import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import type { AlertState } from '../../../src/core/alerts/alert.ts';
import { readFact, writeFact } from '../../../src/store/alerts/installation-facts.ts';
import {
  claimMessages,
  countMessages,
  listMessages,
  type NewMessage,
  pruneMessages,
  putMessage,
  releaseMessages,
  settleMessage,
} from '../../../src/store/alerts/outbox.ts';
import { readAlertStates, writeAlertStates } from '../../../src/store/alerts/states.ts';
import { readWatched, writeWatched } from '../../../src/store/alerts/watched-sources.ts';
import { thisPlace } from '../../../src/store/engine/process-place.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const now = Date.parse('2026-11-23T08:00:00Z');
const minute = 60_000;
const elsewhere = (name: string) => `elsewhere/1/${name}`;

describeOnBoth('messages that are to be sent', (open) => {
  beforeEach(async () => {
    await open().database.writer('alert_message').delete();
    await open().database.writer('alert_count').delete();
  });

  const message = (more: Partial<NewMessage> = {}): NewMessage => ({
    ...{ id: randomUUID(), channel: 'mail', content: '{"at":1}' },
    ...more,
  });
  const put = (...messages: NewMessage[]) =>
    open().database.transaction(async (trx) => {
      for (const one of messages) await putMessage(trx, one, now);
    });
  const claim = (name: string, at = now, limit = 10) =>
    claimMessages(open().database, { holder: elsewhere(name), now: at, limit });

  test('are taken by one of many that reach for them at once', async () => {
    const messages = Array.from({ length: 20 }, () => message());
    await put(...messages);
    const taken = await Promise.all(Array.from({ length: 8 }, (_, index) => claim(`p${index}`, now, 5)));
    const ids = taken.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const rest = await claim('last', now, 100);
    expect([...ids, ...rest.map(({ id }) => id)].toSorted()).toEqual(messages.map(({ id }) => id).toSorted());
    expect(rest.every(({ content, attempts }) => content === '{"at":1}' && attempts === 0)).toBe(true);
  });

  test('the same id is the same message', async () => {
    const one = message();
    await put(one, { ...one, content: 'other' });
    await put(one);
    const claimed = await claim('a');
    expect(claimed.map(({ content }) => content)).toEqual(['{"at":1}']);
  });

  test('what a process has taken that is gone is free after a while; of one that was killed here, at once', async () => {
    const { database } = open();
    await put(message());
    expect((await claim('gone')).length).toBe(1);
    expect(await claim('other', now + minute)).toEqual([]);
    expect((await claim('other', now + 3 * minute)).length).toBe(1);
    await releaseMessages(database, elsewhere('other'));
    const killed = `${thisPlace}/999999999/x`;
    expect((await claimMessages(database, { holder: killed, now, limit: 1 })).length).toBe(1);
    expect((await claim('other', now)).length).toBe(1);
  });

  test('are counted once, whoever else has sent them meanwhile', async () => {
    const { database } = open();
    const one = message();
    await put(one, message({ channel: 'slack' }));
    await claim('slow');
    expect((await claim('quick', now + 3 * minute)).length).toBe(2);
    const sent = (name: string) =>
      settleMessage(database, one, elsewhere(name), { kind: 'sent' }, now + 4 * minute);
    expect(await sent('quick')).toBe(true);
    expect(await sent('slow')).toBe(false);
    expect(await countMessages(database.reader)).toEqual({
      counted: [{ channel: 'mail', outcome: 'sent', count: 1 }],
      ...{ waiting: 1, waitingSince: now },
    });
  });

  test('what fails is due later, until it is given up', async () => {
    const { database } = open();
    const one = message();
    await put(one);
    const fail = async (at: number, dueAt: number | undefined) => {
      await claim('a', at);
      await settleMessage(database, one, elsewhere('a'), { kind: 'failed', reason: 'refused', dueAt }, at);
    };
    await fail(now, now + minute);
    expect(await claim('a', now)).toEqual([]);
    expect((await claim('a', now + minute))[0]?.attempts).toBe(1);
    await releaseMessages(database, elsewhere('a'));
    await fail(now + minute, undefined);
    expect(await claim('a', now + 1e9)).toEqual([]);
    expect(await listMessages(database.reader, 5)).toMatchObject([
      { id: one.id, attempts: 2, reason: 'refused', dueAt: undefined, sentAt: undefined },
    ]);
    expect((await countMessages(database.reader)).counted).toEqual([
      { channel: 'mail', outcome: 'failed', count: 1 },
      { channel: 'mail', outcome: 'given-up', count: 1 },
    ]);
    await pruneMessages(database, now);
    expect((await listMessages(database.reader, 5)).length).toBe(1);
    await pruneMessages(database, now + 1);
    expect(await listMessages(database.reader, 5)).toEqual([]);
  });
});

describeOnBoth('what is known between two rounds', (open) => {
  test('states, sources and facts are as they were written', async () => {
    const { database } = open();
    const state = (subject: string, more: Partial<AlertState> = {}): AlertState => ({
      ...{ kind: 'harvest', subject, title: `京都 ${subject}`, since: 1, facts: { reason: 'x\u0001' } },
      ...{ phase: 'new', foundAt: 2, relapses: 0, ...more },
    });
    const names = Array.from({ length: 250 }, (_, index) => `s${String(index).padStart(3, '0')}`);
    const write = (changed: readonly AlertState[], ended: readonly AlertState[] = []) =>
      database.transaction((trx) => writeAlertStates(trx, changed, ended));
    await write(names.map((name) => state(name)));
    await write([state('s001', { phase: 'told', toldAt: 5 })], [state('s002')]);
    const read = await readAlertStates(database.reader);
    expect(read.length).toBe(249);
    expect(read.slice(0, 2)).toEqual([state('s000'), state('s001', { phase: 'told', toldAt: 5 })]);

    const growth = { base: 1, last: 2, grewAt: 3 };
    const watched = names.map((source) => ({ source, since: now, records: undefined }));
    await database.transaction((trx) => writeWatched(trx, watched, []));
    const some = { source: 's000', since: 4, records: growth };
    await database.transaction((trx) => writeWatched(trx, [some], ['s001']));
    const found = await readWatched(database.reader);
    expect(found.size).toBe(249);
    expect(found.get('s000')).toEqual(some);

    expect(await readFact(database.reader, 'backup')).toBeUndefined();
    await writeFact(database, 'backup', { value: '/b', at: now });
    await writeFact(database, 'backup', { value: '/c', at: now + 1 });
    expect(await readFact(database.reader, 'backup')).toEqual({ value: '/c', at: now + 1 });
  });
});
