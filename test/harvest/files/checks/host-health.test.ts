import { expect, test } from 'vitest';
import { afterVerdict, postponed } from '../../../../src/harvest/files/checks/check-schedule.ts';
import { judgeAnswer } from '../../../../src/harvest/files/checks/file-verdict.ts';
import { createHostHealth } from '../../../../src/harvest/files/checks/host-health.ts';
import type { RemoteFile } from '../../../../src/store/files/remote-files.ts';
import { unasked } from '../../../house/harvest/file-server.ts';

const now = '2026-11-21T10:00:00Z';
const nowMs = Date.parse(now);
const file = unasked('http://a.example/1.pdf');
const answer = (status: number, headers: Readonly<Record<string, string>> = {}) =>
  judgeAnswer(file, { status, url: file.url, headers });

test.each([
  ['7', 7],
  ['0', 1],
  ['86400', 3600],
  ['Sat, 21 Nov 2026 10:02:00 GMT', 120],
])('Retry-After: %s has the host rest for %i s, and its files as long', (retryAfter, seconds) => {
  const health = createHostHealth();
  const verdict = answer(503, { 'retry-after': retryAfter });
  health.note('a.example', verdict, nowMs);
  expect(health.restSeconds('a.example', nowMs)).toBe(seconds);
  expect(health.isDown('a.example', nowMs + seconds * 1000 - 1)).toBe(true);
  expect(health.isDown('a.example', nowMs + seconds * 1000)).toBe(false);
  const dueAt = new Date(nowMs + seconds * 1000).toISOString().replace('.000', '');
  expect(postponed(file, now, health.restSeconds('a.example', nowMs)).dueAt).toBe(dueAt);
  expect(afterVerdict(file, verdict, now, 30).dueAt).toBe(dueAt);
});

test('a server that says it for the fourth time in a row waits as one that does not say it', () => {
  const verdict = answer(429, { 'retry-after': '1' });
  const dues: (string | undefined)[] = [];
  for (let turn = 0, seen: RemoteFile = file; turn < 4; turn += 1) {
    seen = afterVerdict(seen, verdict, now, 30);
    dues.push(seen.dueAt);
  }
  expect(dues.slice(0, 3)).toEqual(Array(3).fill('2026-11-21T10:00:01Z'));
  expect((dues[3] ?? '') > '2026-11-24').toBe(true);
});

test.each([
  answer(503),
  answer(503, { 'retry-after': 'soon' }),
  // Some send it with whatever they answer.
  answer(500, { 'retry-after': '1' }),
])('without a time that was asked for it is an hour', (verdict) => {
  const health = createHostHealth();
  health.note('a.example', verdict, nowMs);
  expect(health.restSeconds('a.example', nowMs)).toBeUndefined();
  expect(postponed(file, now).dueAt).toBe('2026-11-21T11:00:00Z');
  expect((afterVerdict(file, verdict, now, 30).dueAt ?? '') >= '2026-11-21T11:00:00Z').toBe(true);
});
