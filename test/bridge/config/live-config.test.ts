import { describe, expect, test } from 'vitest';
import { describeChanges, liveConfig } from '../../../src/bridge/config/live-config.ts';
import { parseConfig } from '../../../src/core/config/config.ts';

const url = 'https://repo.example.org/oai';
const pause = {
  source: 'b',
  since: '2026-11-01T00:00:00Z',
  until: '2026-12-01T00:00:00Z',
  reason: undefined,
};

describe('a live configuration', () => {
  test('has the newest sources; everything else stays as it was at the start', () => {
    const live = liveConfig(parseConfig({ title: 'Old', sources: { a: { url }, b: { url } } }));
    const changes = live.replaceSources(
      parseConfig({
        title: 'New',
        listen: { port: 1 },
        groups: { g: { schedule: false } },
        sets: { all: {} },
        sources: { b: { url, group: 'g', files: { mode: 'link' } }, c: { url } },
      }),
      new Map([['b', pause]]),
    );
    expect(changes).toEqual({
      added: ['c'],
      removed: ['a'],
      changed: [{ name: 'b', settings: ['files', 'group', 'schedule'] }],
      paused: ['b'],
      resumed: [],
      sets: ['all'],
      later: ['listen', 'title'],
    });
    expect(describeChanges(changes)).toBe(
      'added c; changed b (files, group, schedule); removed a; paused b; changed the sets all; listen, title: differs, and counts after a restart',
    );
    const { config } = live;
    expect(Object.keys(config.sources)).toEqual(['b', 'c']);
    expect(config.sources.b?.schedule).toBe(false);
    expect(live.pauseOf('b', '2026-11-30T00:00:00Z')).toBe(pause);
    expect(live.pauseOf('b', '2026-12-01T00:00:00Z')).toBe(undefined);
    expect([config.title, config.listen.port]).toEqual(['Old', 8080]);
  });

  test('the same one changes nothing', () => {
    const raw = { sources: { a: { url } } };
    const changes = liveConfig(parseConfig(raw)).replaceSources(parseConfig(raw), new Map());
    const none = { added: [], removed: [], changed: [], paused: [], resumed: [], sets: [], later: [] };
    expect(changes).toEqual(none);
    expect(describeChanges(changes)).toBe('nothing has changed');
  });
});
