import { expect, test } from 'vitest';
import { judgeBackup } from '../../../src/cli/doctor/backup-age.ts';
import { judgeClocks, judgeDatabaseClock } from '../../../src/cli/doctor/clocks.ts';
import type { Diagnosis } from '../../../src/cli/doctor/diagnosis.ts';
import { judgeDiskSpeed } from '../../../src/cli/doctor/disk-speed.ts';
import { judgeMachine } from '../../../src/cli/doctor/machine.ts';
import { judgeNode, judgePostgres } from '../../../src/cli/doctor/supported-versions.ts';
import { parseConfig } from '../../../src/core/config/config.ts';

const today = '2026-11-23T00:00:00Z';
const told = (found: readonly Diagnosis[]) => found.map(({ check, severity }) => `${check}: ${severity}`);
const gigabyte = 1024 ** 3;

test('what is well says so without advice, and what is not says what mends it', () => {
  const found = [
    ...judgeNode('v20.20.2', today),
    ...judgeNode('v24.9.0', today),
    ...judgeDatabaseClock(4000),
    ...judgeDatabaseClock(0),
  ];
  for (const { severity, mend } of found) expect(mend === undefined).toBe(severity === 'ok');
});

test.each([
  ['v20.20.2', 'note'],
  ['v22.22.0', 'ok'],
  ['v24.9.0', 'ok'],
  ['v25.1.0', 'note'],
  ['v26.1.0', 'ok'],
])('Node.js %s is %s', (version, severity) => {
  expect(told(judgeNode(version, today))).toEqual([`Node.js: ${severity}`]);
});

test.each([
  ['12.22', 'warning'],
  ['14.20 (Debian 14.20-1)', 'warning'],
  ['15.14', 'ok'],
  ['18.1', 'ok'],
  ['19.0', 'ok'],
])('PostgreSQL %s is %s', (version, severity) => {
  expect(told(judgePostgres(version, today))).toEqual([`PostgreSQL: ${severity}`]);
});

test('settings are held against the memory, the cores and the open files that there are', () => {
  const settings = (listen: object, workers = 0) => parseConfig({ listen, workers });
  const small = { cores: 1, memory: gigabyte, openFiles: 1024 };
  const large = { cores: 8, memory: 16 * gigabyte, openFiles: 65_536 };
  expect(told(judgeMachine(settings({}), small))).toEqual(['memory: ok', 'cores: ok', 'open files: warning']);
  expect(told(judgeMachine(settings({ processes: 4 }), small)).slice(0, 2)).toEqual([
    'memory: warning',
    'cores: warning',
  ]);
  expect(judgeMachine(settings({ processes: 8 }, 2), large)).toMatchObject([
    { check: 'memory', severity: 'ok' },
    { check: 'cores', severity: 'warning', mend: 'listen: { processes: 6 }' },
    { check: 'open files', severity: 'ok' },
  ]);
  expect(judgeMachine(settings({}), large)).toMatchObject([
    {},
    { check: 'cores', severity: 'note', mend: 'listen: { processes: 7 }' },
    {},
  ]);
  expect(told(judgeMachine(settings({}), { ...large, openFiles: undefined }))).not.toContain(
    'open files: ok',
  );
});

test('a disk is slow by either of its figures', () => {
  const judged = (syncMs: number, bytesPerSecond: number) =>
    told(judgeDiskSpeed('/data', 'directory', { syncMs, bytesPerSecond })).join();
  expect(judged(3, 400e6)).toBe('disk speed of directory: ok');
  expect(judged(120, 400e6)).toBe('disk speed of directory: warning');
  expect(judged(3, 2e6)).toBe('disk speed of directory: warning');
});

test('of several clocks that of the minority is wrong', () => {
  const reading = (name: string, seconds: number) => ({ name, ours: 1e12, theirs: 1e12 + seconds * 1000 });
  expect(judgeClocks([])).toEqual([]);
  expect(told(judgeClocks([reading('a', 1), reading('b', -2)]))).toEqual(['clock: ok']);
  expect(judgeClocks([reading('a', 0), reading('b', 3600), reading('c', 1)])).toMatchObject([
    { severity: 'note', message: expect.stringContaining('3600 s behind that of b') },
  ]);
  expect(judgeClocks([reading('a', -90), reading('b', -91), reading('c', 0)])).toMatchObject([
    { severity: 'warning', message: expect.stringContaining('90 s before that of a, b, c') },
  ]);
  expect(told(judgeClocks([reading('a', 60)]))).toEqual(['clock: warning']);
});

test('a backup gets old, and none is worse than an old one that nobody minds', () => {
  const now = Date.parse(today);
  const config = parseConfig({});
  const days = (count: number) => now - count * 86_400_000;
  const judge = (at: number | undefined, more = {}) =>
    judgeBackup({ ...config, alerts: { ...config.alerts, ...more } }, { at, failed: undefined }, now);
  expect(told(judge(undefined))).toEqual(['backup: warning']);
  expect(judge(days(3))).toEqual([
    {
      check: 'backup',
      severity: 'ok',
      message: 'the latest is of 2026-11-20T00:00:00Z (3 days ago)',
    },
  ]);
  expect(told(judge(days(9)))).toEqual(['backup: warning']);
  expect(told(judge(days(99), { backupDays: false }))).toEqual(['backup: ok']);
});

test('of PostgreSQL backups are made by its own tools, which leave a file that is known', () => {
  const database = { client: 'pg', url: 'postgres://rsbridge:secret-word@db.example/rsbridge' };
  const config = parseConfig({ database, alerts: { backupStamp: '/backups/made' } });
  const [finding] = judgeBackup(config, { at: undefined, failed: undefined }, Date.parse(today));
  expect(finding?.mend).toContain(
    'pg_dump --format=custom --file=FILE "postgres://rsbridge@db.example/rsbridge" && touch /backups/made',
  );
});
