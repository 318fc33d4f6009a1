import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { NewsContent } from '../../../src/bridge/alerts/content.ts';
import { observe } from '../../../src/bridge/alerts/observe.ts';
import { alertRound } from '../../../src/bridge/alerts/round.ts';
import { wordMessage } from '../../../src/bridge/alerts/wording.ts';
import { type Bridge, openBridge } from '../../../src/bridge/bridge.ts';
import { createLog } from '../../../src/bridge/log.ts';
import { parseConfig } from '../../../src/core/config/config.ts';
import { BridgeError } from '../../../src/core/errors.ts';
import { restHost } from '../../../src/store/hosts/host-news.ts';
import { giveSign } from '../../../src/store/presence/processes.ts';
import { tellUnderWay } from '../../../src/store/presence/under-way.ts';
import { endRun, type Run, type RunKind, type RunState, startRun } from '../../../src/store/runs/runs.ts';
import { ensureSource, findSource } from '../../../src/store/sources/sources.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const minute = 60_000;
const hour = 60 * minute;
const iso = (moment: number) => new Date(moment).toISOString().replace(/\.\d+Z/, 'Z');

describeOnBoth('alerts while a source is read', (open) => {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-alerts-'));
  let bridge: Bridge;
  let sourceId: number;
  let now = Date.parse('2026-11-23T00:00:00Z');
  let told = 0;

  beforeAll(async () => {
    const config = parseConfig({
      ...{ database: open().config, directory, baseUrl: 'https://bridge.example.org' },
      // Nothing is sent in this test; that it is to be sent is read from the database.
      alerts: { webhook: { url: 'http://127.0.0.1:9/hook', secret: 'a secret of the hook' }, diskFree: 0 },
      sources: { kyoto: { url: 'https://kyoto.example.org/oai', title: 'Kyoto' } },
    });
    bridge = await openBridge(
      config,
      createLog('silent', new Writable({ write: (_c, _e, done) => done() })),
      'migrate',
    );
    await ensureSource(bridge.database, 'kyoto', iso(now));
    const stored = await findSource(bridge.database.reader, 'kyoto');
    sourceId = stored?.id ?? 0;
  });
  afterAll(async () => {
    await bridge.close();
    rmSync(directory, { recursive: true, force: true });
  });

  /** A round a minute. @returns what is to be told since the last time, in words */
  async function during(ms: number): Promise<readonly string[]> {
    for (const until = now + ms; now < until; now += minute) await alertRound(bridge, now);
    const rows: { content: string }[] = await bridge.database.reader('alert_message').orderBy('created_at');
    const news = rows.slice(told).map(({ content }) => JSON.parse(content) as NewsContent);
    told = rows.length;
    return news.flatMap(({ firing, recovered }) => [
      ...firing.entries.map(({ kind }) => `${kind} wrong`),
      ...recovered.entries.map(({ kind }) => `${kind} well`),
    ]);
  }
  const begin = <Kind extends RunKind>(mode: Kind): Promise<Run<Kind>> =>
    startRun(bridge.database.writer, {
      sourceId,
      mode,
      selection: '',
      since: undefined,
      startedAt: iso(now),
    });
  async function end(run: Run<RunKind>, state: RunState, error?: BridgeError): Promise<void> {
    await endRun(bridge.database.writer, run.id, { state, at: iso(now), error });
    if (state !== 'succeeded' || run.mode === 'identifiers') return;
    await bridge.database
      .writer('source')
      .where({ id: sourceId })
      .update({ last_success_at: iso(now) });
  }
  const failed = new BridgeError('upstream-unreachable', 'no answer');
  const refused = new BridgeError('deletions-refused', '900 of 1000 items are not in the list');

  test('one that fails is told once, and that it is well once, however long it is read between', async () => {
    await end(await begin('full'), 'succeeded');
    expect(await during(2 * minute)).toEqual([]);
    await end(await begin('incremental'), 'failed', failed);
    expect(await during(4 * hour)).toEqual(['harvest wrong']);
    for (const ending of ['failed', 'interrupted', 'failed'] as const) {
      const again = await begin('incremental');
      expect(await during(30 * minute)).toEqual([]);
      await end(again, ending, ending === 'failed' ? failed : undefined);
      expect(await during(30 * minute)).toEqual([]);
    }
    // Somebody asks for it: what failed before is not counted then.
    const last = await begin('full');
    expect(await during(30 * minute)).toEqual([]);
    await end(last, 'succeeded');
    expect(await during(9 * minute)).toEqual([]);
    // It is read again while it is to prove that it is well.
    await begin('incremental');
    expect(await during(hour)).toEqual(['harvest well']);
  });

  test('one that did not fail is not told of, though it is read for longer than three of its periods', async () => {
    const [running] = await bridge.database.reader('run').where({ state: 'running' }).select('id');
    for (let part = 0; part < 6; part += 1) {
      await bridge.database
        .writer('run')
        .where({ id: running.id })
        .update({ updated_at: iso(now) });
      expect(await during(30 * minute)).toEqual([]);
    }
    await endRun(bridge.database.writer, running.id, { state: 'succeeded', at: iso(now) });
    await bridge.database
      .writer('source')
      .where({ id: sourceId })
      .update({ last_success_at: iso(now) });
    expect(await during(30 * minute)).toEqual([]);
  });

  test('deletions wait for a person until a later look at everything has come to its end', async () => {
    const well = async (ms: number) => {
      const news: string[] = [];
      for (const until = now + ms; now < until; ) {
        await bridge.database
          .writer('source')
          .where({ id: sourceId })
          .update({ last_success_at: iso(now) });
        news.push(...(await during(10 * minute)));
      }
      return news;
    };
    await end(await begin('identifiers'), 'needs-attention', refused);
    expect(await well(hour)).toEqual(['deletions wrong']);
    for (const ending of ['failed', 'interrupted', 'needs-attention'] as const) {
      const again = await begin('identifiers');
      expect(await well(30 * minute)).toEqual([]);
      await end(again, ending, ending === 'needs-attention' ? refused : undefined);
      expect(await well(30 * minute)).toEqual([]);
    }
    const last = await begin('identifiers');
    expect(await well(30 * minute)).toEqual([]);
    await end(last, 'succeeded');
    expect(await well(hour)).toEqual(['deletions well']);
  });

  test('one whose server has not answered yet is told of with its host', async () => {
    const { writer } = bridge.database;
    const presence = {
      role: 'work',
      version: '1',
      knows: '',
      startedAt: iso(now),
      memory: 1,
      heldUp: 0,
    } as const;
    await giveSign(writer, { ...presence, holder: 'elsewhere/7/x' });
    const work = {
      ...{
        number: 1,
        kind: 'harvest' as const,
        source: 'kyoto',
        set: undefined,
        phase: 'beginning' as const,
        run: undefined,
      },
      ...{ done: 0, expected: undefined, perMinute: undefined, window: undefined, requests: 0 },
      ...{ began: now, seen: now },
    } as const;
    await bridge.database.transaction((trx) =>
      tellUnderWay(trx, 'elsewhere/7/x', { told: [work], ended: [] }),
    );
    const began = now;
    expect(await during(5 * hour)).toEqual(['harvest wrong']);
    const { content } = await bridge.database.reader('alert_message').orderBy('created_at', 'desc').first();
    const speaker = { title: 'B', baseUrl: 'https://b.example', dashboard: undefined, timeZone: 'UTC' };
    const { text } = wordMessage(JSON.parse(content), { ...speaker, language: 'en' });
    expect(text).toContain('A harvest has begun: it waits for the first answer of kyoto.example.org since');
    expect(JSON.parse(content).firing.entries[0].facts).toMatchObject({ askedAt: began });
  });

  test('whose host is to be left alone: until when and why, and not that an answer is waited for', async () => {
    await restHost(bridge.database, 'kyoto.example.org', hour, '503 from server, as asked');
    const { findings } = await observe(bridge, {
      ...{ states: [], watched: new Map([['kyoto', { source: 'kyoto', since: 0, records: undefined }]]) },
      ...{ beginsAnew: false, now },
    });
    const finding = findings.find(({ kind }) => kind === 'harvest');
    expect(finding?.facts).not.toHaveProperty('askedAt');
    const at = now;
    const entries = finding ? [{ ...finding, relapses: 0 }] : [];
    const section = { entries, total: 1, causes: [] };
    const none = { entries: [], total: 0, causes: [] };
    const content = { kind: 'alert', at, firing: section, recovered: none, lasting: none, isReminder: false };
    const speaker = { title: 'B', baseUrl: 'https://b.example', dashboard: undefined, timeZone: 'UTC' };
    const told = (language: 'en' | 'ja') =>
      wordMessage(content as unknown as NewsContent, { ...speaker, language }).text;
    expect(told('en')).toMatch(
      /Nothing is asked of kyoto\.example\.org until .*20\d\d.* \(503 from server, as asked\)\./,
    );
    expect(told('en')).not.toContain('has begun');
    expect(told('ja')).toContain('kyoto.example.orgへのアクセスを控えています（サーバーの応答は HTTP 503');
  });
});
