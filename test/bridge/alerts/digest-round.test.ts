import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { Channels } from '../../../src/bridge/alerts/channels.ts';
import { digestRound } from '../../../src/bridge/alerts/digest-round.ts';
import { sendDue } from '../../../src/bridge/alerts/sending.ts';
import { sharedLinks } from '../../../src/bridge/alerts/shared-links.ts';
import { listenAlone } from '../../../src/bridge/answering.ts';
import { type Bridge, openBridge } from '../../../src/bridge/bridge.ts';
import { createLog } from '../../../src/bridge/log.ts';
import { parseConfig } from '../../../src/core/config/config.ts';
import { revokeShareLinks } from '../../../src/store/alerts/share-links.ts';
import { ensureSource, findSource } from '../../../src/store/sources/sources.ts';
import { type MailServer, openMailServer } from '../../house/alerts/receivers.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const hour = 3_600_000;
const never = new AbortController().signal;
const iso = (moment: number) => new Date(moment).toISOString().replace(/\.\d+Z/, 'Z');
const silent = () => createLog('silent', new Writable({ write: (_c, _e, done) => done() }));

describeOnBoth('digests', (open) => {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-digests-'));
  const hanako = 'hanako@kyoto.example.ac.jp';
  let mails: MailServer;
  let bridge: Bridge;
  /** A Tuesday, in Tokyo. */
  let now = Date.parse('2026-11-10T00:00:00Z');

  beforeAll(async () => {
    mails = await openMailServer();
    const url = (name: string) => `https://${name}.example.org/oai`;
    const config = parseConfig({
      ...{ database: open().config, directory, title: 'NII リポジトリ', timeZone: 'Asia/Tokyo' },
      baseUrl: 'https://bridge.example.org/rs',
      mail: {
        ...{ host: '127.0.0.1', port: mails.port, security: 'none' },
        ...{ from: 'bridge@example.org', allowPrivateAddresses: true },
      },
      sources: {
        kyoto: { url: url('kyoto'), title: '京都リポジトリ', digestTo: hanako, digestLanguage: 'ja' },
        nara: { url: url('nara'), title: '奈良リポジトリ', digestTo: hanako },
        osaka: { url: url('osaka'), title: 'Osaka', digestTo: 'taro@osaka.example.ac.jp' },
        secret: { url: url('secret'), title: 'Nobody is told of this' },
      },
    });
    bridge = await openBridge(config, silent(), 'migrate');
    const { writer, reader } = bridge.database;
    for (const name of Object.keys(config.sources)) await ensureSource(bridge.database, name, iso(now));
    await writer('source').update({ last_success_at: iso(now), published_items: 1234, resource_count: 2468 });
    const trouble = { code: 'upstream-unreachable', message: 'no answer from the server', at: iso(now) };
    await writer('source')
      .where({ name: 'nara' })
      .update({ trouble: JSON.stringify(trouble) });
    const osaka = await findSource(reader, 'osaka');
    for (let record = 1; record <= 7; record += 1)
      await writer('unreadable').insert({
        ...{
          source_id: osaka?.id,
          identifier: `oai:osaka:${record}`,
          format: '',
          code: 'record-quarantined',
        },
        ...{
          message: 'it ends in the middle',
          run_id: 1,
          place: `${record}`,
          first_at: iso(now),
          last_at: iso(now),
        },
      });
  });
  beforeEach(() => {
    mails.mails.length = 0;
  });
  afterAll(async () => {
    await bridge.close();
    await mails.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const send = () =>
    sendDue({
      ...{ database: bridge.database, log: bridge.log, stop: never },
      channels: new Channels(bridge.config, () => now, sharedLinks(bridge)),
    });
  /** A round an hour. @returns when something was to be sent, in Tokyo */
  async function until(moment: string): Promise<string[]> {
    const sent: string[] = [];
    for (; now < Date.parse(moment); now += hour)
      if ((await digestRound(bridge, now)) === 'sent') sent.push(iso(now + 9 * hour));
    return sent;
  }

  test('go out on Monday morning, one to each contact in their language, problems first', async () => {
    expect(await until('2026-11-16T12:00:00Z')).toEqual(['2026-11-16T08:00:00Z']);
    await send();
    expect(mails.mails.map(({ to }) => to).toSorted()).toEqual([[hanako], ['taro@osaka.example.ac.jp']]);
    const ja = mails.mails.find(({ to }) => to[0] === hanako);
    expect(ja?.subject).toBe(
      '【NII リポジトリ】今週の状況: 奈良リポジトリ、京都リポジトリ（1リポジトリで確認が必要）',
    );
    expect(ja?.headers.get('content-language')).toBe('ja');
    expect(ja?.text).toContain('貴機関の2リポジトリの状況');
    expect(ja?.text).toContain('原因: no answer from the server');
    expect(ja?.text.indexOf('奈良リポジトリ\n')).toBeLessThan(ja?.text.indexOf('京都リポジトリ\n') ?? 0);
    expect(ja?.text).toContain('公開中: アイテム1,234件、リソース2,468件');
    expect(ja?.text).not.toMatch(/Osaka|Nobody is told/);
    const en = mails.mails.find(({ to }) => to[0] !== hanako);
    expect(en?.subject).toBe('[NII リポジトリ] This week: Osaka; 1 repository needs attention');
    expect(en?.text).toContain('Records that cannot be read: 7.');
    expect(en?.text).toContain('  * oai:osaka:5: it ends in the middle\n  * and 2 more\n');
    expect(en?.text).toContain('answer to bridge@example.org');
    expect(en?.text).not.toContain('rsbridge ');
    await send();
    expect(mails.mails.length).toBe(2);
  });

  test('lead to a page of each repository, which shows that one to whoever has the link, until it ends', async () => {
    const { writer, reader } = bridge.database;
    await writer('share_link').delete();
    // The first attempt fails, perhaps after it was sent: its links end with the second.
    mails.refuse = () => Object.assign(new Error('try later'), { responseCode: 451 });
    await writer('alert_message').update({ due_at: 1, sent_at: null });
    await send();
    const first = await reader('share_link').orderBy('source').select('source', 'hash');
    mails.refuse = undefined;
    await writer('alert_message').update({ due_at: 1 });
    await send();
    const kept = await reader('share_link').orderBy('source');
    expect(first.length).toBeGreaterThan(0);
    expect(kept.map(({ source }) => source)).toEqual(['kyoto', 'nara', 'osaka']);
    for (const { hash } of kept) expect(first.map((link) => link.hash)).not.toContain(hash);
    const text = mails.mails.map((mail) => mail.text).join('');
    const links = [...text.matchAll(/https:\/\/bridge\.example\.org\/rs(\/share\/([\w-]{43}))/g)];
    expect(links.length).toBe(3);
    // No secret is in the database.
    const stored = JSON.stringify([kept, await reader('alert_message').select('*')]);
    for (const [, , secret = ''] of links) expect(stored).not.toContain(secret);

    const front = await listenAlone(bridge, { host: '127.0.0.1', port: 0 }, {});
    const ask = (path: string, language = 'ja') =>
      fetch(`http://127.0.0.1:${front.address.port}${path}`, { headers: { 'accept-language': language } });
    try {
      const pages: string[] = [];
      for (const [, path = ''] of links) {
        const answer = await ask(path);
        expect(answer.status).toBe(200);
        expect(answer.headers.get('x-robots-tag')).toBe('noindex, nofollow');
        expect(answer.headers.get('cache-control')).toBe('private, no-store');
        expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
        pages.push(await answer.text());
      }
      const titles = ['京都リポジトリ', '奈良リポジトリ', 'Osaka', 'Nobody is told'];
      const shown = pages.map((page) => titles.filter((title) => page.includes(title)));
      expect(shown.toSorted()).toEqual([['Osaka'], ['京都リポジトリ'], ['奈良リポジトリ']].toSorted());
      const nara = pages.find((page) => page.includes('奈良リポジトリ')) ?? '';
      expect(nara).toContain('原因: no answer from the server');
      expect(nara).not.toContain(hanako);
      expect(pages.find((page) => page.includes('Osaka'))).toContain('oai:osaka:7');
      const [, path = ''] = links[0] ?? [];
      expect(await (await ask(path, 'en')).text()).toContain('Last successful harvest');
      expect((await fetch(`http://127.0.0.1:${front.address.port}${path}`, { method: 'POST' })).status).toBe(
        405,
      );

      expect((await ask(`${path.slice(0, -1)}${path.endsWith('A') ? 'B' : 'A'}`)).status).toBe(404);
      await writer('share_link').update({ expires_at: '2026-01-01T00:00:00Z' });
      expect((await ask(path)).status).toBe(404);
      await writer('share_link').update({ expires_at: '2999-01-01T00:00:00Z' });
      expect((await ask(path)).status).toBe(200);
      for (const { source } of kept) await revokeShareLinks(bridge.database, source);
      expect((await ask(path)).status).toBe(404);
    } finally {
      await front.close();
    }
  });

  test('are put into the outbox once by all processes together, and once for weeks that were missed', async () => {
    await bridge.database.writer('alert_message').delete();
    now = Date.parse('2026-12-09T00:00:00Z');
    // Two that write to one SQLite file in one process would wait for each other for ever.
    const other =
      bridge.database.client === 'pg' ? await openBridge(bridge.config, silent(), 'check') : bridge;
    try {
      const outcomes = await Promise.all([bridge, other, bridge, other].map((one) => digestRound(one, now)));
      expect(outcomes.filter((outcome) => outcome === 'sent').length).toBe(1);
      expect((await bridge.database.reader('alert_message')).length).toBe(2);
      expect(await digestRound(bridge, now + hour)).toBe('quiet');
    } finally {
      if (other !== bridge) await other.close();
    }
  });

  test('are for nobody who is not named any more, and for nobody at all where there is no schedule', async () => {
    await bridge.database.writer('alert_message').update({ due_at: 1 });
    const with_ = (config: object) =>
      Object.create(bridge, { config: { value: { ...bridge.config, ...config } } }) as Bridge;
    const { osaka, ...sources } = bridge.config.sources;
    expect(osaka).toBeDefined();
    const fewer = with_({ sources });
    await sendDue({
      ...{ database: bridge.database, log: bridge.log, stop: never },
      channels: new Channels(fewer.config, () => now),
    });
    expect(mails.mails.map(({ to }) => to)).toEqual([[hanako]]);
    const silenced = with_({ alerts: { ...bridge.config.alerts, digestSchedule: false } });
    expect(await digestRound(silenced, now + 30 * 24 * hour)).toBe('quiet');
    expect(await digestRound(with_({ mail: undefined }), now + 30 * 24 * hour)).toBe('quiet');
  });
});
