import { cut } from '../../../src/bridge/drafts/cut.ts';
import { BridgeError } from '../../../src/core/errors.ts';
import { causeOf, rawRecord } from '../../../src/core/problem.ts';
import type { AdminDeps } from '../../../src/server/deps.ts';
import type { StorageMeasures } from '../../../src/server/measures.ts';
import { recordAct } from '../../../src/store/admin/audit.ts';
import { addDraft, changeDraft } from '../../../src/store/admin/drafts.ts';
import { createLink } from '../../../src/store/admin/links.ts';
import { createToken } from '../../../src/store/admin/tokens.ts';
import { addHarvests } from '../../../src/store/oai/harvesters.ts';
import { type NewLogLine, writeLog } from '../../../src/store/presence/log-lines.ts';
import { giveSign } from '../../../src/store/presence/processes.ts';
import { type Told as ToldWork, tellUnderWay } from '../../../src/store/presence/under-way.ts';
import { endRun, startRun } from '../../../src/store/runs/runs.ts';
import { storeUnreadable } from '../../../src/store/runs/unreadable.ts';
import { causeId } from '../../../src/store/runs/unreadable-causes.ts';
import { noteSettings } from '../../../src/store/sources/run-settings.ts';
import { ensureSource, findSource } from '../../../src/store/sources/sources.ts';
import { addAccount, dashboard, noActs } from './dashboard.ts';
import { type House, now, openHouse, seedResource, sourceOverview } from './fixture.ts';

/** What a repository says of itself, in every place where the dashboard shows it. */
export interface Told {
  readonly title: string;
  readonly identifier: string;
  readonly reason: string;
  readonly address: string;
}

export interface FullDashboard {
  readonly house: House;
  /** Below `/rs`: every page that somebody with the scope `admin` can come to. */
  readonly pages: readonly string[];
  /** Where somebody without an account sets a password. */
  readonly link: string;
  /** Another process harvests `kyushu`, and has come so far. */
  harvested(records: number): Promise<void>;
}

const usual: Told = {
  title: '九州大学学術情報リポジトリ',
  identifier: 'oai:repo.example.org:1',
  reason: 'unexpected close tag',
  address: 'https://repo.example.org/oai',
};

/** A dashboard that has something to show on every page, and takes every form; what it does it only notes. */
export async function openFullDashboard(told: Partial<Told> = {}): Promise<FullDashboard> {
  const { title, identifier, reason, address } = { ...usual, ...told };
  const uri = `https://bridge.example.org/rs/kyushu/items/${encodeURIComponent(identifier)}`;
  const target = { uri, source: 'kyushu', identifier };
  const admin: AdminDeps = {
    ...dashboard,
    settings: () => [
      { key: 'title', value: title, from: 'file', place: '/etc/rsbridge.yaml' },
      { key: 'listen.port', value: 8080, from: 'default' },
    ],
    acts: {
      ...noActs,
      settingsOf: async () => ({
        from: 'database',
        settings: [
          { key: 'url', value: address, from: 'database' },
          { key: 'title', value: title, from: 'database' },
        ],
      }),
      keptSettings: async () => ({ settings: { url: address, title, formats: [identifier] }, tag: 't' }),
    },
    newSources: { ...dashboard.newSources, groups: () => ['universities'] },
    subscriptions: {
      ...dashboard.subscriptions,
      list: async () => [
        {
          ...{
            id: 1,
            topic: 'kyushu',
            set: 'kyushu',
            kind: 'webhook',
            callback: address,
            host: 'repo.example.org',
          },
          ...{ label: title, hasSecret: true, createdAt: Date.parse(now), leaseUntil: undefined, behind: 2 },
          ...{
            attempts: 1,
            dueAt: Date.parse(now),
            deliveredAt: undefined,
            failedAt: Date.parse(now),
            reason,
          },
        },
      ],
    },
    takedown: {
      ...dashboard.takedown,
      list: async () => [{ id: 1, ...target, reason, at: now }],
      plan: async () => ({ ...target, resources: [`${uri}/oai_dc.xml`, address] }),
    },
  };
  const storage = async (): Promise<StorageMeasures> => ({
    ...{ at: now, items: 1, resources: 2, inBucket: ['files'], backupAt: undefined, waiting: 3 },
    database: { client: 'pg', bytes: 1e9, walBytes: undefined, freeBytes: undefined },
    tables: [{ name: 'version', bytes: 1e8, rows: 1000 }],
    files: {
      ...{ at: now, complete: false },
      places: [{ place: 'documents', files: 5, bytes: 1e6 }],
      sources: [{ name: 'kyushu', files: 5, bytes: 1e6 }],
    },
    disks: [{ place: 'data', free: 1e9, total: 2e9 }],
  });
  const house = await openHouse({ admin, storage, setsOf: () => [] });
  const { database } = house;
  house.sources.push(
    sourceOverview({ name: 'kyushu', title, healthy: false, state: reason, problem: reason }),
    sourceOverview({ name: 'other', title: 'Another' }),
  );
  await addAccount(house);
  await addAccount(house, 'hanako', 'run');
  const source = await ensureSource(database, 'kyushu', now).then(() =>
    findSource(database.reader, 'kyushu'),
  );
  const days = ['2026-11-20', '2026-11-21'].map((day, index) => ({ source_id: source?.id, day, index }));
  await database.writer('series').insert(
    days.flatMap(({ index, ...of }) => [
      { ...of, name: 'items', value: 1000 + index },
      { ...of, name: 'records', value: 900 },
      { ...of, name: 'stated', value: 901 },
    ]),
  );
  const runs: number[] = [];
  for (const [index, startedAt] of ['2026-11-19T10:00:00Z', '2026-11-20T10:00:00Z'].entries()) {
    const begun = { mode: 'full', selection: '{}', since: undefined, startedAt } as const;
    const run = await startRun(database.writer, { sourceId: source?.id ?? 0, ...begun });
    await noteSettings(database.writer, run, [['title', index === 0 ? 'Another' : title]]);
    const error = index === 0 ? undefined : new BridgeError('upstream-cut-off', reason);
    await endRun(database.writer, run.id, { state: error ? 'failed' : 'succeeded', at: startedAt, error });
    runs.push(run.id);
  }
  await addHarvests(database, [
    {
      ...{ sourceId: source?.id ?? 0, agent: title.slice(0, 200), sender: reason.slice(0, 200) },
      ...{ firstAt: now, lastAt: now, lastFrom: undefined, requests: 3, records: 1200 },
    },
  ]);
  await seedResource(database, { identifier });
  const { id, item_id } = await database.reader('resource').first('id', 'item_id');
  await database.writer('vanished').insert({
    ...{ resource_id: id, source_id: source?.id, item_id, run_id: 999, pass: 'full' },
    ...{ at: now, first_at: now },
  });
  const message = (name: string) => `The record ${name} cannot be read: ${reason}.`;
  const problems = Array.from({ length: 25 }, (_, n) => ({
    code: 'record-quarantined' as const,
    identifier: `${identifier}-${n}`,
    message: message(`${identifier}-${n}`),
    format: 'oai_dc',
    raw: rawRecord(`<record>\n<title>${title}</titel>\n</record>`),
    repairs: [reason],
  }));
  const nameless = {
    code: 'record-quarantined' as const,
    message: 'A record has no name.',
    raw: rawRecord('<a'),
  };
  await database.transaction((trx) =>
    storeUnreadable(trx, source?.id ?? 0, [...problems, nameless], [], { run: { id: 7 }, at: now }),
  );
  const problem = await database.reader('unreadable').orderBy('id').first('id');
  const first = `${identifier}-0`;
  const cause = causeId(causeOf({ identifier: first, message: message(first) }));
  // What a draft says of a repository was cut when it was found.
  const [name, called, why] = [cut(title), cut(identifier), cut(reason)];
  const choices = { name: 'library', title: name };
  const draft = await addDraft(database, { address, choices, who: 'admin' }, now);
  const found = {
    ...{ url: address, adapter: 'oai-pmh', repository: name, protocol: 'OAI-PMH 2.0', sentences: [why] },
    ...{ name: 'library', formats: [{ name: 'oai_dc', selected: true }], hasMoreCollections: true },
    ...{ collections: [{ spec: called, name }], settings: {} },
  };
  const trial = {
    ...{ choices, records: 1, expectedTotal: 12_000 },
    ...{ problemCount: 1, problems: [{ identifier: called, message: why }] },
    items: [
      { identifier: called, title: name, language: 'ja', deleted: false, formats: ['oai_dc'], files: 2 },
    ],
  };
  await changeDraft(database, draft, { state: 'tried', found, trial, choices }, now);
  const failed = await addDraft(database, { address, choices, who: 'admin' }, now);
  await changeDraft(database, failed, { state: 'failed', code: 'upstream-html', message: reason }, now);
  const holder = 'host x/7/y';
  const harvested = async (done: number) => {
    // Without a sign of life of the last minute it would be none.
    await giveSign(database.writer, {
      ...{ holder, role: 'all', version: '1.2.3', knows: '', startedAt: now, memory: 120_000_000, heldUp: 4 },
    });
    const work: ToldWork = {
      ...{ number: 1, kind: 'harvest', source: 'kyushu', set: undefined, phase: 'reading', run: 7 },
      ...{ done, expected: 20_000, perMinute: 2310, requests: 124, window: { list: 'oai_dc' } },
      ...{ began: Date.parse(now) - 60_000, seen: Date.parse(now) },
    };
    await database.transaction((trx) => tellUnderWay(trx, holder, { told: [work], ended: [] }));
  };
  await harvested(12_400);
  const line: NewLogLine = {
    ...{ at: now, level: 'warn', source: 'kyushu', run: 7, process: 'work 7 host' },
    ...{ message: 'a record cannot be read', fields: { reason, identifier, url: address } },
  };
  await database.transaction((trx) => writeLog(trx, [line]));
  const logged = await database.reader('log_line').orderBy('id').first('id');
  await recordAct(database, { at: now, who: 'admin', action: 'withdrew', what: `${uri} (${reason})` });
  await createToken(
    database,
    { name: title.slice(0, 50).replace(/\p{C}/gu, ''), scope: 'read', createdBy: 'admin' },
    now,
  );
  const [task] = await database
    .writer('asked')
    .insert({
      ...{ source: 'kyushu', kind: 'item', what: identifier, who: 'admin', at: now, after_run: 0 },
      ...{ state: 'failed', message: reason, ended_at: now },
    })
    .returning('id');
  const secret = await createLink(database, { account: 'taro', scope: 'read' }, now);
  return {
    house,
    harvested,
    link: `/admin/link?key=${secret}`,
    pages: [
      '/admin',
      '/admin/activity',
      '/admin/storage',
      '/admin/subscriptions',
      '/admin/log',
      `/admin/log/${logged.id}`,
      '/admin/sources/kyushu',
      `/admin/sources/kyushu/runs/${runs[0]}`,
      `/admin/sources/kyushu/runs/${runs[1]}`,
      '/admin/sources/kyushu/problems',
      `/admin/sources/kyushu/problems?cause=${cause}`,
      `/admin/sources/kyushu/problems/${problem.id}`,
      '/admin/sources/kyushu/change',
      '/admin/sources/kyushu/remove',
      '/admin/sources/add',
      `/admin/sources/add/${draft}`,
      `/admin/sources/add/${failed}`,
      '/admin/withdrawals',
      `/admin/withdrawals?what=${encodeURIComponent(identifier.slice(0, 500))}`,
      `/admin/tasks/${task.id}`,
      '/admin/settings',
      '/admin/access',
      '/admin/audit',
    ],
  };
}
