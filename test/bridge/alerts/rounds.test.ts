import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { alertNow } from '../../../src/bridge/alerts/alerting.ts';
import { Channels } from '../../../src/bridge/alerts/channels.ts';
import { tellOfOutage } from '../../../src/bridge/alerts/database-away.ts';
import { alertRound } from '../../../src/bridge/alerts/round.ts';
import { sendDue } from '../../../src/bridge/alerts/sending.ts';
import { type Bridge, openBridge } from '../../../src/bridge/bridge.ts';
import { createLog } from '../../../src/bridge/log.ts';
import { parseConfig } from '../../../src/core/config/config.ts';
import { listMessages } from '../../../src/store/alerts/outbox.ts';
import { readAlertStates } from '../../../src/store/alerts/states.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import {
  type MailServer,
  openMailServer,
  openReceiver,
  type Receiver,
} from '../../house/alerts/receivers.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });
const never = new AbortController().signal;
const minute = 60_000;
const hour = 60 * minute;
const iso = (moment: number) => new Date(moment).toISOString().replace(/\.\d+Z/, 'Z');
/** Yesterday: what is older than three days is given up, by the real clock. */
const day = iso(Date.now() - 24 * hour).slice(0, 10);
const names = Array.from({ length: 40 }, (_, index) => `source-${String(index).padStart(2, '0')}`);

describeOnBoth('rounds of alerts', (open) => {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-alerts-'));
  let mails: MailServer;
  let hook: Receiver;
  let bridge: Bridge;
  /** Moves on with each round. */
  let now = Date.parse(`${day}T00:00:00Z`);

  beforeAll(async () => {
    [mails, hook] = await Promise.all([openMailServer(), openReceiver()]);
    const config = parseConfig({
      database: open().config,
      directory,
      title: 'NII リポジトリ',
      baseUrl: 'https://bridge.example.org/rs',
      timeZone: 'Asia/Tokyo',
      mail: {
        ...{ host: '127.0.0.1', port: mails.port, security: 'none' },
        ...{ from: 'bridge@example.org', allowPrivateAddresses: true },
      },
      alerts: {
        to: ['ops@example.org', 'night@example.org'],
        webhook: { url: `${hook.url}/hook`, secret: 'a secret of the hook' },
        slack: { url: `${hook.url}/services/T000/B000/XXXX` },
        ...{ pingUrl: `${hook.url}/ping/0123456789`, allowPrivateAddresses: true },
        ...{ diskFree: 0, pauseMinutes: 0 },
      },
      sources: Object.fromEntries(
        names.map((name) => [
          name,
          { url: `https://${name}.example.org/oai`, title: name.replace('source-', 'Repository ') },
        ]),
      ),
    });
    bridge = await openBridge(config, createLog('silent', nowhere()), 'migrate');
    for (const name of names) await ensureSource(bridge.database, name, iso(now));
    await harvested(names);
  });
  beforeEach(() => {
    mails.mails.length = 0;
    hook.requests.length = 0;
    mails.refuse = undefined;
    hook.status = 200;
  });
  afterAll(async () => {
    await bridge.close();
    await Promise.all([mails.close(), hook.close()]);
    rmSync(directory, { recursive: true, force: true });
  });

  /** As if each of them had been read well now. */
  async function harvested(which: readonly string[]): Promise<void> {
    const { writer } = bridge.database;
    await writer('source')
      .whereIn('name', which)
      .update({ last_success_at: iso(now), trouble: null });
    await writer('due').whereIn('source', which).delete();
  }
  async function fail(which: readonly string[], code = 'upstream-unreachable'): Promise<void> {
    const trouble = JSON.stringify({ code, message: 'no answer\u202e from the server', at: iso(now) });
    await bridge.database.writer('source').whereIn('name', which).update({ trouble });
  }
  const send = () =>
    sendDue({
      ...{ database: bridge.database, log: bridge.log, stop: never },
      channels: new Channels(bridge.config, () => now),
    });
  /** A round a minute; those in `well` are harvested each time. */
  async function during(ms: number, well: readonly string[] = []): Promise<string[]> {
    const told: string[] = [];
    for (const until = now + ms; now < until; now += minute) {
      if (well.length > 0) await harvested(well);
      told.push(await alertRound(bridge, now));
    }
    return told.filter((outcome) => outcome !== 'quiet');
  }

  test('forty sources behind one dead network are one mail, one call and one post, and another when they are back', async () => {
    expect(await during(10 * minute, names)).toEqual([]);
    await fail(names);
    expect(await during(hour)).toEqual(['told']);
    await send();
    expect(mails.mails.length).toBe(1);
    const [mail] = mails.mails;
    expect(mail?.to).toEqual(['ops@example.org', 'night@example.org']);
    expect(mail?.subject).toBe(
      '[NII リポジトリ] 40 problems: Repository 00, Repository 01, Repository 02, and 37 more',
    );
    expect(mail?.text).toContain('40 sources not harvested, by cause:\n  upstream-unreachable: 40\n');
    expect(mail?.text).toContain(`* Repository 39 (source-39)\n  Not harvested since ${day} 09:09 JST`);
    // What would turn the text around is not passed on.
    expect(mail?.text).toContain('Last error: no answer from the server [upstream-unreachable]');
    expect(mail?.text).toContain('https://bridge.example.org/rs/admin/sources/source-39');
    expect(mail?.headers.get('list-unsubscribe')).toBe('<mailto:bridge@example.org?subject=unsubscribe>');
    expect(mail?.headers.get('auto-submitted')).toBe('auto-generated');
    expect(mail?.headers.get('message-id')).toMatch(/^<[\w-]{36}@example\.org>$/);
    const posts = hook.requests.map(({ path }) => path).toSorted();
    expect(posts).toEqual(['/hook', '/services/T000/B000/XXXX']);
    const told = JSON.parse(hook.requests.find(({ path }) => path === '/hook')?.body ?? '{}');
    expect(told).toMatchObject({
      ...{ type: 'alert', installation: { baseUrl: 'https://bridge.example.org/rs' } },
      firing: { total: 40, causes: [{ code: 'upstream-unreachable', total: 40 }] },
    });
    expect(told.firing.entries[0]).toMatchObject({ kind: 'harvest', since: `${day}T00:09:00Z` });
    const slack = JSON.parse(hook.requests.find(({ path }) => path !== '/hook')?.body ?? '{}');
    expect(slack.text).toContain('*[NII リポジトリ] 40 problems');
    expect(slack.text).not.toMatch(/[<>]/);

    mails.mails.length = 0;
    expect(await during(30 * minute, names)).toEqual(['told']);
    await send();
    expect(mails.mails.map(({ subject }) => subject)).toEqual([
      '[NII リポジトリ] Recovered: Repository 00, Repository 01, Repository 02, and 37 more',
    ]);
    expect(mails.mails[0]?.text).toMatch(
      new RegExp(`${day} 09:09 JST \\(00:09 UTC\\) to .*\\(1 hour 1 minute\\)`),
    );
    expect(await bridge.database.reader('alert_message').whereNotNull('due_at')).toEqual([]);
  });

  test('a source that is paused is forgotten, and nobody is told that it is well', async () => {
    const [paused = '', ...others] = names;
    await harvested(names);
    await fail([paused]);
    expect(await during(hour, others)).toEqual(['told']);
    bridge.pauseOf(paused);
    const states = async () =>
      (await readAlertStates(bridge.database.reader)).filter(({ phase }) => phase !== 'calm');
    expect((await states()).map(({ subject }) => subject)).toEqual([paused]);
    const pausing = Object.create(bridge, {
      pauseOf: { value: (name: string) => (name === paused ? { source: name } : undefined) },
    }) as Bridge;
    await alertRound(pausing, now);
    expect(await states()).toEqual([]);
    await harvested(names);
    await bridge.database.writer('alert_message').delete();
  });

  test('a success that is dated in the future is none, and is told', async () => {
    const [ahead = '', ...others] = names;
    await harvested(names);
    expect(await during(10 * minute, others)).toEqual([]);
    const at = iso(now + 300 * hour);
    await bridge.database.writer('source').where({ name: ahead }).update({ last_success_at: at });
    // It is watched since yesterday: that is longer than a few of its turns.
    await bridge.database
      .writer('alert_watch')
      .where({ source: ahead })
      .update({ since: now - 24 * hour });
    mails.mails.length = 0;
    expect(await during(hour, others)).toEqual(['told']);
    await send();
    expect(mails.mails[0]?.text).toMatch(/Its last success is dated 20.* which is in the future/);
    await harvested(names);
    await during(hour, names);
    await bridge.database.writer('alert_message').delete();
    await bridge.database.writer('alert_state').delete();
  });

  test('of rounds that are made at once one counts, in however many processes', async () => {
    // Two that write to one SQLite file in one process would wait for each other for ever.
    const isShared = bridge.database.client === 'pg';
    const other = isShared
      ? await openBridge(bridge.config, createLog('silent', nowhere()), 'check')
      : bridge;
    try {
      await during(20 * minute, names);
      await fail(names.slice(0, 2), 'upstream-status');
      await during(hour, names.slice(2));
      await bridge.database.writer('alert_message').delete();
      await bridge.database.writer('alert_state').delete();
      const before = (await listMessages(bridge.database.reader, 100)).length;
      for (let round = 0; round < 6; round += 1, now += minute) {
        await harvested(names.slice(2));
        const outcomes = await Promise.all([bridge, other, bridge, other].map((one) => alertRound(one, now)));
        expect(outcomes.filter((outcome) => outcome !== 'overtaken').length).toBe(1);
      }
      const messages = (await listMessages(bridge.database.reader, 100)).slice(before);
      expect(messages.map(({ channel }) => channel).toSorted()).toEqual(['mail', 'slack', 'webhook']);
      await Promise.all([send(), send()]);
      expect([mails.mails.length, hook.requests.length]).toEqual([1, 2]);
    } finally {
      if (isShared) await other.close();
    }
  });

  test('what cannot be sent is tried again, by the same id, while the other ways go on', async () => {
    const { writer, reader } = bridge.database;
    await writer('alert_message').delete();
    await writer('alert_state').delete();
    mails.refuse = () => Object.assign(new Error('try later'), { responseCode: 451 });
    await during(30 * minute, names.slice(2));
    await send();
    expect([mails.mails.length, hook.requests.length]).toEqual([0, 2]);
    const [failed] = (await listMessages(reader, 10)).filter(({ channel }) => channel === 'mail');
    expect(failed).toMatchObject({ attempts: 1, sentAt: undefined });
    expect(failed?.reason).toContain('did not take it');
    expect(failed?.reason).toContain('try later');
    mails.refuse = undefined;
    await send();
    expect(mails.mails.length).toBe(0);
    await writer('alert_message').whereNotNull('due_at').update({ due_at: 1 });
    await send();
    expect(mails.mails[0]?.headers.get('message-id')).toBe(`<${failed?.id}@example.org>`);
  });

  test('a round that cannot look learns nothing and pings nobody', async () => {
    const states = await readAlertStates(bridge.database.reader);
    const broken = Object.create(bridge, {
      publication: { value: { sets: () => Promise.reject(new Error('no disk')) } },
    }) as Bridge;
    await alertNow(broken, never);
    expect(await readAlertStates(bridge.database.reader)).toEqual(states);
    expect(hook.requests.filter(({ path }) => path.startsWith('/ping'))).toEqual([]);
    await alertNow(bridge, never);
    expect(hook.requests.filter(({ path }) => path.startsWith('/ping')).map(({ method }) => method)).toEqual([
      'GET',
    ]);
  });

  test('that the database is away is told without it, by one process, and that it is back, with it', async () => {
    await bridge.database.writer('alert_message').delete();
    const since = Date.now() - 5 * minute;
    await Promise.all(Array.from({ length: 4 }, () => tellOfOutage(bridge, since)));
    expect(mails.mails.map(({ subject }) => subject)).toEqual(['[NII リポジトリ] 1 problem: Database']);
    expect(mails.mails[0]?.text).toContain('The database has not answered since');
    await tellOfOutage(bridge, since);
    expect(mails.mails.length).toBe(1);
    await alertNow(bridge, never);
    await alertNow(bridge, never);
    expect(mails.mails.map(({ subject }) => subject)).toContain('[NII リポジトリ] Recovered: Database');
    expect(mails.mails.filter(({ subject }) => subject.includes('Database')).length).toBe(2);
  });
});
