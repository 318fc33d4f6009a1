import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/server/http/conditions.ts';

const etag = '"abc"';
const selected = { etag, lastModified: '2026-11-20T08:00:00Z', length: 1000, ranges: true };
const same = 'Fri, 20 Nov 2026 08:00:00 GMT';
const before = 'Fri, 20 Nov 2026 07:59:59 GMT';
const after = 'Fri, 20 Nov 2026 08:00:01 GMT';
const part = (start: number, end: number) => ({ kind: 'part', start, end });

function decideFor(headers: Record<string, string>, method = 'GET', now = '2026-11-21T12:00:00Z') {
  return decide({ method, headers, now }, selected);
}

describe('preconditions are evaluated in the order of RFC 9110 §13.2.2', () => {
  it.each([
    ['no condition', {}, 'whole'],
    ['If-Match with our ETag', { 'if-match': etag }, 'whole'],
    ['If-Match with one of several', { 'if-match': '"x", "abc" , "y"' }, 'whole'],
    ['If-Match *', { 'if-match': '*' }, 'whole'],
    ['If-Match with another', { 'if-match': '"other"' }, 'precondition-failed'],
    [
      'If-Match with the weak form of ours (strong comparison)',
      { 'if-match': 'W/"abc"' },
      'precondition-failed',
    ],
    ['If-Match without quotes', { 'if-match': 'abc' }, 'precondition-failed'],
    ['If-Unmodified-Since the same second', { 'if-unmodified-since': same }, 'whole'],
    ['If-Unmodified-Since before', { 'if-unmodified-since': before }, 'precondition-failed'],
    ['If-Unmodified-Since that is no date', { 'if-unmodified-since': 'yesterday' }, 'whole'],
    ['If-Match silences If-Unmodified-Since', { 'if-match': etag, 'if-unmodified-since': before }, 'whole'],
    ['If-None-Match with our ETag', { 'if-none-match': etag }, 'not-modified'],
    ['If-None-Match with its weak form (weak comparison)', { 'if-none-match': 'W/"abc"' }, 'not-modified'],
    ['If-None-Match *', { 'if-none-match': '*' }, 'not-modified'],
    ['If-None-Match with a list', { 'if-none-match': '"x",W/"abc"' }, 'not-modified'],
    ['If-None-Match with another', { 'if-none-match': '"other"' }, 'whole'],
    ['If-Modified-Since the same second', { 'if-modified-since': same }, 'not-modified'],
    ['If-Modified-Since after', { 'if-modified-since': after }, 'not-modified'],
    ['If-Modified-Since before', { 'if-modified-since': before }, 'whole'],
    ['If-Modified-Since that is no date', { 'if-modified-since': '2026-11-21' }, 'whole'],
    [
      'If-None-Match silences If-Modified-Since',
      { 'if-none-match': '"other"', 'if-modified-since': same },
      'whole',
    ],
    [
      'If-Match fails before If-None-Match',
      { 'if-match': '"other"', 'if-none-match': etag },
      'precondition-failed',
    ],
    ['If-Match holds, If-None-Match too', { 'if-match': etag, 'if-none-match': etag }, 'not-modified'],
    ['a condition comes before a range', { 'if-none-match': etag, range: 'bytes=0-1' }, 'not-modified'],
  ])('%s', (_name, headers, kind) => {
    expect(decideFor(headers as Record<string, string>).kind).toBe(kind);
    expect(decideFor(headers as Record<string, string>, 'HEAD').kind).toBe(kind);
  });
});

describe('a range (HC-04)', () => {
  it.each([
    ['bytes=0-0', part(0, 1)],
    ['bytes=0-99', part(0, 100)],
    ['bytes=100-', part(100, 1000)],
    ['bytes=-100', part(900, 1000)],
    ['bytes=-5000', part(0, 1000)],
    ['bytes=999-5000', part(999, 1000)],
    ['BYTES=0-1', part(0, 2)],
    ['bytes=0-99999999999999999999999', part(0, 1000)],
    ['bytes=1000-', { kind: 'range-not-satisfiable' }],
    ['bytes=99999999999999999999999-', { kind: 'range-not-satisfiable' }],
    ['bytes=-0', { kind: 'range-not-satisfiable' }],
    ['bytes=5-4', { kind: 'whole' }],
    ['bytes=-', { kind: 'whole' }],
    ['bytes=0-1,5-6', { kind: 'whole' }],
    ['items=0-1', { kind: 'whole' }],
    ['bytes=a-b', { kind: 'whole' }],
    ['bytes=+1-2', { kind: 'whole' }],
    ['0-1', { kind: 'whole' }],
  ])('%s', (range, decision) => {
    expect(decideFor({ range })).toEqual(decision);
  });

  it('is for GET alone', () => {
    expect(decideFor({ range: 'bytes=0-1' }, 'HEAD')).toEqual({ kind: 'whole' });
  });

  it('is ignored where parts are not given out', () => {
    const request = { method: 'GET', headers: { range: 'bytes=0-1' }, now: '2026-11-21T12:00:00Z' };
    expect(decide(request, { ...selected, ranges: false })).toEqual({ kind: 'whole' });
  });

  it('lies within the representation or is none at all, whatever the client writes', () => {
    const ranges = fc.oneof(
      fc.string(),
      fc.tuple(fc.nat(2000), fc.nat(2000)).map(([first, last]) => `bytes=${first}-${last}`),
      fc.stringMatching(/^bytes=[0-9-]{0,8}$/),
    );
    fc.assert(
      fc.property(ranges, fc.nat(1500), (range, length) => {
        const request = { method: 'GET', headers: { range }, now: '2026-11-21T12:00:00Z' };
        const decision = decide(request, { ...selected, length });
        if (decision.kind !== 'part') return;
        expect(decision.start).toBeGreaterThanOrEqual(0);
        expect(decision.end).toBeGreaterThan(decision.start);
        expect(decision.end).toBeLessThanOrEqual(length);
      }),
    );
  });
});

describe('If-Range compares strongly (HC-05)', () => {
  const range = 'bytes=0-9';
  it.each([
    ['our ETag', etag, part(0, 10)],
    ['its weak form', 'W/"abc"', { kind: 'whole' }],
    ['another ETag', '"other"', { kind: 'whole' }],
    ['our date', same, part(0, 10)],
    ['an earlier date', before, { kind: 'whole' }],
    ['a later date', after, { kind: 'whole' }],
    ['nonsense', 'abc', { kind: 'whole' }],
  ])('with %s', (_name, condition, decision) => {
    expect(decideFor({ range, 'if-range': condition })).toEqual(decision);
  });

  it('does not trust a date whose second is not over', () => {
    const decision = decideFor({ range, 'if-range': same }, 'GET', selected.lastModified);
    expect(decision).toEqual({ kind: 'whole' });
  });

  it('means nothing without a range', () => {
    expect(decideFor({ 'if-range': '"other"' })).toEqual({ kind: 'whole' });
  });
});

it('If-Modified-Since of a second in which the bytes changed twice proves nothing', () => {
  const verdict = (since: string) =>
    decide(
      { method: 'GET', headers: { 'if-modified-since': since }, now: '2026-11-21T10:00:00Z' },
      { ...selected, unsettled: true },
    ).kind;
  expect(verdict(same)).toBe('whole');
  expect(verdict(after)).toBe('not-modified');
});
