import { Writable } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import { createLog, keeperOf } from '../../../src/bridge/log.ts';
import { keptLine } from '../../../src/bridge/presence/kept-line.ts';
import { createLogKeeper, type LogKeeper } from '../../../src/bridge/presence/log-keeper.ts';
import type { Config } from '../../../src/core/config/config.ts';
import { forgetSecrets, keepSecret } from '../../../src/core/secrets.ts';

afterEach(forgetSecrets);

const line = (given: object = {}) => ({
  level: 40,
  time: '2026-11-23T10:00:00.000Z',
  msg: 'a thing',
  ...given,
});

/** A log with what came out of it, and what is kept. */
function opened(level: Config['logLevel']) {
  const out: string[] = [];
  const log = createLog(
    level,
    new Writable({ write: (chunk, _encoding, done) => done(out.push(String(chunk)) > 0 ? null : null) }),
  );
  const keeper = keeperOf(log) as LogKeeper;
  return { log, keeper, out, kept: () => keeper.waiting(99).map(({ message }) => message) };
}

test('warnings, errors and milestones are kept; requests, details and idle harvests are not', () => {
  const kept = (given: object) => keptLine(line(given), 'work 7 host') !== undefined;
  expect(kept({})).toBe(true);
  expect(kept({ level: 30, msg: 'harvest ended' })).toBe(true);
  expect(kept({ level: 20 })).toBe(false);
  expect(kept({ level: 30, msg: 'slow answer', method: 'GET', path: '/x' })).toBe(false);
  expect(kept({ level: 50, msg: 'request failed', method: 'GET', path: '/x' })).toBe(true);
  const idle = {
    level: 30,
    mode: 'incremental',
    state: 'succeeded',
    created: 0,
    updated: 0,
    deleted: 0,
    problems: 0,
  };
  expect(kept(idle)).toBe(false);
  expect(kept({ ...idle, problems: 1 })).toBe(true);
  expect(kept({ ...idle, mode: 'full' })).toBe(true);
});

test('a line says of what it is: of a source, a run, a set', () => {
  const of = (given: object) => keptLine(line(given), 'work 7 host');
  expect(of({ source: 'kyushu', runId: 7, code: 'x' })).toEqual({
    at: '2026-11-23T10:00:00.000Z',
    level: 'warn',
    source: 'kyushu',
    run: 7,
    process: 'work 7 host',
    message: 'a thing',
    fields: { code: 'x' },
  });
  expect(of({ set: 'kyushu/metadata' })).toMatchObject({
    source: 'kyushu',
    fields: { set: 'kyushu/metadata' },
  });
  expect(of({ set: 'sets/theses' })).toMatchObject({ source: undefined });
  expect(of({ level: 60 })).toMatchObject({ level: 'fatal', fields: undefined });
});

test('whatever is shown of the log, what the dashboard needs is kept, also of a child; secrets of none', () => {
  keepSecret('s3cr3t-password');
  for (const level of ['silent', 'error', 'warn', 'info', 'debug'] as const) {
    const { log, kept, out, keeper } = opened(level);
    log.debug({}, 'details');
    log.info({ source: 'x' }, 'began');
    log.child({ source: 'y' }).warn({ url: 'https://u:s3cr3t-password@h/?token=abcdefgh' }, 'no answer');
    log.error({ password: 'other-one', reason: 's3cr3t-password' }, 'failed');
    expect([level, ...kept()]).toEqual([level, 'began', 'no answer', 'failed']);
    const shown = { silent: 0, error: 1, warn: 2, info: 3, debug: 4 } as const;
    expect([level, out.length]).toEqual([level, shown[level]]);
    expect(JSON.stringify(keeper.waiting(9)) + out.join('')).not.toMatch(/s3cr3t|abcdefgh|other-one/);
    expect(keeper.waiting(9)[1]).toMatchObject({ source: 'y' });
  }
});

test('a flood of one kind is counted, and what nobody takes is dropped and said', () => {
  let at = 0;
  const keeper = createLogKeeper({ now: () => at, most: 100 });
  keeper.sign('work 7 host');
  const take = (given: object) => keeper.take(JSON.stringify(line(given)));
  for (let index = 0; index < 5000; index += 1) take({ index });
  expect(keeper.waiting(999)).toHaveLength(60);
  at = 60_000;
  expect(keeper.waiting(999).at(-1)).toMatchObject({
    message: 'a thing',
    fields: { index: 4999, alike: 4940 },
  });
  keeper.written(61);
  expect(keeper.waiting(9)).toEqual([]);
  for (let index = 0; index < 130; index += 1) take({ msg: `thing ${index}` });
  expect(keeper.waiting(999)).toHaveLength(100);
  keeper.written(100);
  expect(keeper.waiting(9)).toMatchObject([
    { level: 'warn', process: 'work 7 host', fields: { dropped: 30 } },
  ]);
  keeper.take('no JSON');
  keeper.take('{"level":50}');
  expect(keeper.waiting(9)).toHaveLength(1);
});
