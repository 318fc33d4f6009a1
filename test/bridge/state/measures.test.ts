import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { listenAlone } from '../../../src/bridge/answering.ts';
import { type Bridge, openBridge } from '../../../src/bridge/bridge.ts';
import { createLog } from '../../../src/bridge/log.ts';
import { readMeasures } from '../../../src/bridge/state/measures.ts';
import { readKnown } from '../../../src/bridge/state/overview.ts';
import { createStorageLook } from '../../../src/bridge/state/storage.ts';
import { createSurvey } from '../../../src/bridge/state/survey.ts';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { plansOf } from '../../../src/bridge/work/due-plans.ts';
import { parseConfig } from '../../../src/core/config/config.ts';
import { createSampleRepository } from '../../../src/demo/sample-repository.ts';
import { thoroughHarvest } from '../../../src/harvest/thorough-harvest.ts';
import { lookAtClock } from '../../../src/store/runs/clock-ahead.ts';
import { planWork } from '../../../src/store/runs/due.ts';
import { latestRun } from '../../../src/store/runs/runs.ts';
import { listCounts } from '../../../src/store/sources/counts.ts';
import { settingsOfRun } from '../../../src/store/sources/run-settings.ts';
import { findSource } from '../../../src/store/sources/sources.ts';
import { freePort } from '../../house/process/free-port.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });
const never = new AbortController().signal;

describeOnBoth('what is measured', (open) => {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-measures-'));
  const repository = createSampleRepository({ clock: systemClock, records: 12 });
  let bridge: Bridge;

  beforeAll(async () => {
    const [{ url }, closed] = await Promise.all([repository.listen(0), freePort()]);
    const settings = { overlapSeconds: 5, files: { mode: 'none' } };
    const config = parseConfig({
      database: open().config,
      directory,
      sets: { all: {} },
      sources: {
        sample: { url, ...settings },
        gone: { url: `http://127.0.0.1:${closed}/oai`, ...settings, timeoutSeconds: 1 },
      },
    });
    bridge = await openBridge(config, createLog('silent', nowhere()), 'migrate');
  });
  afterAll(async () => {
    await bridge.close();
    await repository.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const measure = async () => readMeasures(bridge, await readKnown(bridge));
  const of = async (name: string) => {
    const { sources } = await measure();
    return sources.find((source) => source.name === name);
  };
  const harvest = (mode: 'full' | 'incremental') =>
    thoroughHarvest(bridge, bridge.source('sample'), { mode, stop: never, signal: never });
  const publish = async () => {
    for (const set of bridge.sets().filter(({ source }) => source === 'sample'))
      await bridge.publisher.publish(set, { resourceList: 'if-missing', flat: 'always', signal: never });
    await bridge.publisher.publishSite(bridge.sets());
  };

  test('the age of the last success is there from the first second on, of sources that never had one, too', async () => {
    const before = Date.now();
    // Nothing is planned yet.
    expect((await of('gone'))?.goodSince).toBeLessThanOrEqual(before);
    const now = await lookAtClock(bridge.database);
    const planned = plansOf(bridge.config).map(({ source, kind, text }) => ({
      ...{ source, kind, schedule: text },
      ...{ first: now, next: now },
    }));
    await planWork(bridge.database, planned, now);
    expect((await of('gone'))?.goodSince).toBe(now);
    const { queue } = await measure();
    expect(queue.find(({ kind }) => kind === 'harvest')).toMatchObject({
      ...{ kind: 'harvest', waiting: 2, running: 0, failing: 0 },
      waitingSince: now,
    });
    expect(queue.map(({ kind }) => kind)).not.toContain('publication');
  });

  test('a harvest that ends well is the last success, also when the next one fails', async () => {
    await harvest('full');
    const good = await of('sample');
    expect(Date.now() - (good?.goodSince ?? 0)).toBeLessThan(60_000);
    expect(good?.lastRun).toMatchObject({ mode: 'full', seconds: expect.any(Number) });
    expect(bridge.upstreamAnswers.counts()).toContainEqual({
      ...{ source: 'sample', answer: '2xx' },
      count: expect.any(Number),
    });
    const { database } = bridge;
    const row = await database.reader('run').orderBy('id', 'desc').first('id', 'source_id');
    await database.writer('run').insert({
      ...{ source_id: row.source_id, mode: 'incremental', state: 'failed', selection: '{}' },
      ...{ started_at: '2099-01-01T00:00:00Z', updated_at: '2099-01-01T00:00:00Z' },
      ended_at: '2099-01-01T00:01:00Z',
    });
    expect(await of('sample')).toMatchObject({
      goodSince: good?.goodSince,
      lastRun: { mode: 'incremental', seconds: 60 },
    });
    await database.writer('run').where({ mode: 'incremental' }).delete();
  });

  test('published files that are not served are counted by the reason', async () => {
    await harvest('full');
    const { database } = bridge;
    const sourceId = (await database.reader('source').where({ name: 'sample' }).first('id')).id;
    const file = { source_id: sourceId, failures: 1, withheld_at: '2026-11-22T10:00:00Z' };
    await database.writer('remote_file').insert([
      { ...file, url: 'https://a.example.org/1', outcome: 'refused', reason: 'it is forbidden (403)' },
      { ...file, url: 'https://a.example.org/2', outcome: 'gone', reason: 'it is gone (410)' },
      { ...file, url: 'http://10.0.0.1/3', outcome: 'refused', reason: '10.0.0.1 is not a public address' },
      { ...file, url: 'http://10.0.0.1/4', outcome: 'refused', reason: '10.0.0.1 is not a public address' },
    ]);
    expect((await of('sample'))?.withheld).toEqual({ refused: 1, gone: 1, atPrivateAddresses: 2 });
    expect((await of('gone'))?.withheld).toEqual({ refused: 0, gone: 0, atPrivateAddresses: 0 });
    await database.writer('remote_file').where({ source_id: sourceId }).whereNotNull('withheld_at').delete();
  });

  test('a harvest leaves its requests, its settings, and what there was when it ended', async () => {
    const { reader } = bridge.database;
    const { id = 0 } = (await findSource(reader, 'sample')) ?? {};
    const run = await latestRun(reader, id);
    expect(run?.requests).toBeGreaterThan(1);
    const { url } = bridge.source('sample').config;
    expect(await settingsOfRun(reader, id, run?.id ?? 0)).toContainEqual(['url', url]);
    const [counts] = await listCounts(reader, id);
    expect(counts?.records).toBe(run?.items);
    expect(counts?.items).toBeGreaterThan(10);
  });

  test('a survey is kept for a moment, and made anew where somebody has decided something', async () => {
    const { database } = bridge;
    const survey = createSurvey(bridge);
    const word = async () => (await survey.sources()).find(({ name }) => name === 'sample')?.word;
    const first = await word();
    const [one] = await database.reader('resource').where({ kind: 'metadata' }).limit(1);
    const { id: resource_id, source_id, item_id } = one;
    const times = { at: '2026-11-23T00:00:00Z', first_at: '2026-11-23T00:00:00Z' };
    await database
      .writer('vanished')
      .insert({ resource_id, source_id, item_id, run_id: 999, pass: 'full', ...times });
    expect([first, await word()]).toEqual(['ok', 'ok']);
    survey.lookAgain();
    expect(await word()).toBe('attention');
    const state = (await survey.sources()).find(({ name }) => name === 'sample')?.stateIn?.('ja');
    expect(state).toContain('確認が必要です。一覧に現れなくなったアイテムがあり、公開を続けています');
    await database.writer('vanished').delete();
  });

  test('what is kept where is told at once where there is little, and asks nobody outside', async () => {
    const look = createStorageLook(bridge, createSurvey(bridge));
    const found = await look.storage();
    look.close();
    expect(found.database.client).toBe(bridge.database.client);
    expect(found.database.bytes).toBeGreaterThan(0);
    expect(found.files).toMatchObject({ complete: true });
    expect(found.items).toBeGreaterThan(10);
    expect(found.tables.length > 0).toBe(bridge.database.client === 'pg');
    expect(found).toMatchObject({ inBucket: [], backupAt: undefined });
  });

  test('publication lags from the first change on that is not in all lists, until it is', async () => {
    // Nothing is published yet: the first harvest may take days.
    expect((await of('sample'))?.unpublishedSince).toBeUndefined();
    await publish();
    expect((await of('sample'))?.unpublishedSince).toBeUndefined();
    for (let edits = 0; edits < 3; edits += 1) repository.edit();
    await harvest('full');
    const { database } = bridge;
    const sourceId = (await database.reader('source').where({ name: 'sample' }).first('id')).id;
    const [set] = bridge.setsOf('sample');
    const published = (await bridge.publication.set(set?.path ?? ''))?.journal?.seq ?? 0;
    const change = await database
      .reader('change')
      .where({ source_id: sourceId, seq: published + 1 })
      .first('at');
    expect((await of('sample'))?.unpublishedSince).toBe(Date.parse(change.at));
    await publish();
    expect((await of('sample'))?.unpublishedSince).toBeUndefined();
  });

  test('the database, the disk and answers that never came', async () => {
    await thoroughHarvest(bridge, bridge.source('gone'), {
      ...{ mode: 'full', stop: AbortSignal.timeout(3000) },
      signal: AbortSignal.timeout(3000),
    }).catch(() => undefined);
    expect(bridge.upstreamAnswers.counts()).toContainEqual({
      ...{ source: 'gone', answer: 'failed' },
      count: expect.any(Number),
    });
    const { databaseBytes = 0, walBytes, disks } = await measure();
    expect(databaseBytes).toBeGreaterThan(10_000);
    expect(walBytes === undefined).toBe(bridge.database.client === 'pg');
    const [disk] = disks;
    expect(disk?.place).toBe('data');
    expect(disk && disk.free > 0 && disk.free <= disk.total).toBe(true);
  });

  test('all of it is in the Prometheus text format, at the port of the dashboard alone where that is wanted', async () => {
    const port = await freePort();
    const { listen, admin, push } = bridge.config;
    const config = {
      ...bridge.config,
      push: { ...push, hub: true },
      listen: { ...listen, metrics: false },
      admin: { ...admin, listen: { host: '127.0.0.1', port } },
    };
    const front = await listenAlone({ ...bridge, config }, { host: '127.0.0.1', port: 0 }, {});
    const open = `http://127.0.0.1:${front.address.port}`;
    try {
      expect((await fetch(`${open}/metrics`)).status).toBe(404);
      expect((await fetch(`${open}/about`)).status).toBe(200);
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      for (const line of text.trimEnd().split('\n'))
        expect(line).toMatch(/^(|# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"\n]*",?)+\})? (\d[0-9.e+-]*|Na[Nn]))$/);
      for (const name of [
        'rsbridge_seconds_since_success{source="gone"}',
        'rsbridge_failures_in_a_row{source="gone"}',
        'rsbridge_unreadable_records{source="sample"}',
        'rsbridge_publication_lag_seconds{source="sample"}',
        'rsbridge_last_run_duration_seconds{source="sample",mode="full"}',
        'rsbridge_due_waiting{kind="harvest"}',
        'rsbridge_due_waiting_seconds{kind="harvest"}',
        'rsbridge_database_bytes',
        'rsbridge_disk_free_bytes{place="data"}',
        'rsbridge_upstream_answers_total{source="sample",answer="2xx"}',
        // Of the other port.
        'rsbridge_http_requests_total{operation="getAbout",status="2xx"}',
      ])
        expect(text).toContain(`\n${name} `);
      const names = [...text.matchAll(/^# TYPE (rsbridge_\w+) /gm)].map(([, name]) => name);
      const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'http.md'), 'utf8');
      const table = page.slice(page.indexOf('## Health and metrics'));
      const documented = [...table.matchAll(/`(rsbridge_\w+)(?:\{[\w,]+\})?`/g)].map(([, name]) => name);
      expect(names.filter((name) => !documented.includes(name))).toEqual([]);
      const onlyOfSqlite = bridge.database.client === 'pg' ? ['rsbridge_database_wal_bytes'] : [];
      const ofBackup = ['rsbridge_backup_age_seconds'];
      expect(documented.filter((name) => !names.includes(name))).toEqual([...onlyOfSqlite, ...ofBackup]);
    } finally {
      await front.close();
    }
  });
});
