import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AlertKind,
  type AlertState,
  alertKinds,
  type Finding,
  keyOfAlert,
} from '../../../src/core/alerts/alert.ts';
import { type AlertPolicy, type Decision, decide } from '../../../src/core/alerts/decide.ts';
import { runs } from '../../house/runs.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const policy: AlertPolicy = {
  groupMs: 2 * minute,
  pauseMs: 15 * minute,
  holdMs: 10 * minute,
  remindMs: day,
};

/** The states of an installation, moved on by rounds; time begins at noon of some day. */
class Rounds {
  states: readonly AlertState[] = [];
  lastToldAt: number | undefined;
  now = 12 * hour;
  readonly messages: { at: number; news: NonNullable<Decision['news']> }[] = [];

  round(
    findings: readonly Finding[],
    {
      looked = new Set(alertKinds),
      watched = () => true,
      underWay = new Map(),
    }: {
      looked?: ReadonlySet<AlertKind>;
      watched?: (subject: string) => boolean;
      underWay?: ReadonlyMap<string, number | undefined>;
    } = {},
  ): Decision['news'] {
    const isWatched = ({ subject }: { subject: string }) => watched(subject);
    const observed = { findings, looked, underWay, isWatched };
    const { changed, ended, news } = decide(this.states, observed, {
      ...{ now: this.now, lastToldAt: this.lastToldAt, policy },
    });
    const next = new Map(this.states.map((state) => [keyOfAlert(state), state]));
    for (const one of ended) next.delete(keyOfAlert(one));
    for (const state of changed) next.set(keyOfAlert(state), state);
    this.states = [...next.values()];
    if (news) {
      this.lastToldAt = this.now;
      this.messages.push({ at: this.now, news });
    }
    return news;
  }

  /** A round every minute. */
  during(ms: number, findings: (now: number) => readonly Finding[]): void {
    const until = this.now + ms;
    for (; this.now < until; this.now += minute) this.round(findings(this.now));
  }

  /** A round every minute in which `kyoto` is being read. @param good when that went well last */
  reading(ms: number, good: number | undefined): void {
    const underWay = new Map([['harvest kyoto', good]]);
    for (const until = this.now + ms; this.now < until; this.now += minute) this.round([], { underWay });
  }

  get told(): string[][] {
    return this.messages.map(({ news }) => [
      ...news.firing.map(({ subject }) => `+${subject}`),
      ...news.recovered.map(({ subject }) => `-${subject}`),
      ...(news.isReminder ? news.lasting.map(({ subject }) => `=${subject}`) : []),
    ]);
  }
}

const failing = (subject: string, more: Partial<Finding> = {}): Finding => ({
  ...{ kind: 'harvest', subject, title: subject, since: 10 * hour, facts: { reason: 'no answer' } },
  ...more,
});

describe('alerts', () => {
  test('are told on a change of state, once, with the duration when it is over', () => {
    const rounds = new Rounds();
    rounds.during(3 * hour, () => [failing('kyoto')]);
    rounds.during(2 * hour, () => []);
    expect(rounds.told).toEqual([['+kyoto'], ['-kyoto']]);
    const [, over] = rounds.messages;
    expect(over?.news.recovered).toMatchObject([{ since: 10 * hour, until: 15 * hour }]);
    expect(rounds.messages.map(({ at }) => at - 12 * hour)).toEqual([2 * minute, 3 * hour + 10 * minute]);
  });

  test('of what was wrong for less than the time of grouping nobody is told', () => {
    const rounds = new Rounds();
    rounds.during(minute, () => [failing('kyoto')]);
    rounds.during(hour, () => []);
    expect([rounds.told, rounds.states]).toEqual([[], []]);
  });

  test('of 800 sources behind one dead network make one message, whenever each is overdue', () => {
    const rounds = new Rounds();
    const start = rounds.now;
    const names = Array.from({ length: 800 }, (_, index) => `source-${index}`);
    // Each fails at its next turn, within 15 minutes, and is overdue half an hour after that.
    rounds.during(3 * hour, (now) =>
      names.flatMap((name, index) => {
        const failed = start + (index / 800) * 15 * minute;
        return now < failed ? [] : [failing(name, { isEarly: now < failed + 30 * minute })];
      }),
    );
    expect(rounds.messages.length).toBe(1);
    expect(rounds.messages[0]?.news.firing.length).toBe(800);
    // When it is back, each is read well at its next attempt, within six hours.
    const back = rounds.now;
    rounds.during(8 * hour, (now) =>
      names.flatMap((name, index) => (now < back + (index / 800) * 6 * hour ? [failing(name)] : [])),
    );
    const over = rounds.messages.slice(1);
    expect(over.length).toBeLessThanOrEqual(7);
    expect(over.reduce((sum, { news }) => sum + news.recovered.length, 0)).toBe(800);
    rounds.during(hour, () => []);
    expect(rounds.states.every(({ phase }) => phase === 'calm')).toBe(true);
  });

  test('are remembered once a day, all that are still wrong in one message', () => {
    const rounds = new Rounds();
    rounds.during(3 * hour, () => [failing('kyoto')]);
    rounds.during(3 * day, () => [failing('kyoto'), failing('nara')]);
    expect(rounds.told).toEqual([
      ['+kyoto'],
      ['+nara'],
      ['=kyoto', '=nara'],
      ['=kyoto', '=nara'],
      ['=kyoto', '=nara'],
    ]);
    const at = rounds.messages.slice(2).map((message) => message.at);
    expect(at.slice(1).map((moment, index) => moment - (at[index] ?? 0))).toEqual([day, day]);
  });

  test('what comes and goes is told to be well only when it has been so for longer and longer', () => {
    const rounds = new Rounds();
    const start = rounds.now;
    // Well for twelve minutes of each half hour.
    rounds.during(day, (now) => ((now - start) % (30 * minute) < 18 * minute ? [failing('kyoto')] : []));
    expect(rounds.messages.length).toBeLessThanOrEqual(4);
    const last = rounds.states.find(({ subject }) => subject === 'kyoto');
    expect(last?.relapses).toBeGreaterThan(10);
    rounds.during(7 * hour, () => []);
    expect(rounds.told.at(-1)).toEqual(['-kyoto']);
    rounds.during(day, () => []);
    expect(rounds.states).toEqual([]);
  });

  test('what is not watched any more is forgotten, and nobody is told that it is well', () => {
    const rounds = new Rounds();
    rounds.during(hour, () => [failing('kyoto'), failing('nara')]);
    rounds.round([failing('nara')], { watched: (subject) => subject !== 'kyoto' });
    expect(rounds.states.map(({ subject }) => subject)).toEqual(['nara']);
    rounds.during(hour, () => [failing('nara')]);
    expect(rounds.told).toEqual([['+kyoto', '+nara']]);
  });

  test('of a kind that could not be looked at nothing is learnt', () => {
    const rounds = new Rounds();
    rounds.during(hour, () => [failing('kyoto'), failing('', { kind: 'disk' })]);
    const looked: ReadonlySet<AlertKind> = new Set(['disk']);
    for (let round = 0; round < 60; round += 1, rounds.now += minute) rounds.round([], { looked });
    expect(rounds.told).toEqual([['+kyoto', '+'], ['-']]);
    expect(rounds.states.find(({ subject }) => subject === 'kyoto')?.phase).toBe('told');
  });

  test('a source that is being read again is neither well nor worse until that has ended', () => {
    const rounds = new Rounds();
    const good = 10 * hour;
    rounds.during(hour, () => [failing('kyoto')]);
    // It fails, and is read again for longer than what is well is held, again and again.
    for (let attempt = 0; attempt < 5; attempt += 1) {
      rounds.reading(30 * minute, good);
      rounds.during(5 * minute, () => [failing('kyoto')]);
    }
    expect(rounds.told).toEqual([['+kyoto']]);
    expect(rounds.states).toMatchObject([{ phase: 'told', relapses: 0 }]);
    rounds.during(hour, () => []);
    expect(rounds.told).toEqual([['+kyoto'], ['-kyoto']]);
  });

  test('what went well after it was found is well, though it is being tried again whenever somebody looks', () => {
    const rounds = new Rounds();
    rounds.during(hour, () => [failing('kyoto')]);
    rounds.reading(5 * minute, 10 * hour);
    rounds.reading(hour, rounds.now);
    expect(rounds.told).toEqual([['+kyoto'], ['-kyoto']]);
  });

  test('what came back is not well by what went well before that', () => {
    const rounds = new Rounds();
    rounds.during(hour, () => [failing('kyoto')]);
    const good = rounds.now;
    rounds.during(5 * minute, () => []);
    rounds.during(5 * minute, () => [failing('kyoto')]);
    rounds.reading(3 * hour, good);
    expect(rounds.told).toEqual([['+kyoto']]);
    expect(rounds.states).toMatchObject([{ phase: 'told', relapses: 1 }]);
  });

  test('what has just been found is not told while it is being tried again', () => {
    const rounds = new Rounds();
    rounds.during(minute, () => [failing('kyoto')]);
    rounds.reading(hour, 10 * hour);
    expect(rounds.told).toEqual([]);
    rounds.during(minute, () => [failing('kyoto')]);
    expect(rounds.told).toEqual([['+kyoto']]);
  });

  test('what has failed once is told with others of its kind, and never alone', () => {
    const rounds = new Rounds();
    rounds.during(hour, () => [failing('kyoto', { isEarly: true })]);
    expect(rounds.told).toEqual([]);
    rounds.during(hour, () => [failing('kyoto', { isEarly: true }), failing('full', { kind: 'disk' })]);
    rounds.during(hour, () => [failing('kyoto', { isEarly: true }), failing('nara')]);
    // As long as it fails it is not well.
    rounds.during(2 * hour, () => [failing('kyoto', { isEarly: true })]);
    expect(rounds.told).toEqual([['+full'], ['+nara', '+kyoto'], ['-full'], ['-nara']]);
  });

  test('a clock that was set back does not silence anything for long', () => {
    const rounds = new Rounds();
    rounds.lastToldAt = rounds.now + day;
    rounds.during(hour, () => [failing('kyoto')]);
    expect(rounds.told).toEqual([['+kyoto']]);
  });

  test('each message says what is not known yet, whatever happens when', () => {
    const subjects = ['a', 'b', 'c'];
    const step = fc.record({
      wrong: fc.subarray(subjects),
      early: fc.subarray(subjects),
      minutes: fc.integer({ min: 1, max: 200 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const rounds = new Rounds();
        const known = new Set<string>();
        for (const { wrong, early, minutes } of steps) {
          const findings = wrong.map((name) => failing(name, { isEarly: early.includes(name) }));
          rounds.during(minutes * minute, () => findings);
        }
        rounds.during(2 * day, () => []);
        for (const { at, news } of rounds.messages) {
          for (const { subject } of news.firing) {
            expect(known.has(subject)).toBe(false);
            known.add(subject);
          }
          for (const { subject, since, until = 0 } of news.recovered) {
            expect(known.delete(subject)).toBe(true);
            expect(until).toBeGreaterThan(since);
            expect(at - until).toBeGreaterThanOrEqual(policy.holdMs);
          }
          expect(news.firing.length + news.recovered.length + (news.isReminder ? 1 : 0)).toBeGreaterThan(0);
        }
        const times = rounds.messages.map(({ at }) => at);
        for (const [index, at] of times.slice(1).entries())
          expect(at - (times[index] ?? 0)).toBeGreaterThanOrEqual(policy.pauseMs);
        expect([...known]).toEqual([]);
        expect(rounds.states).toEqual([]);
      }),
      { numRuns: runs(8) },
    );
  });
});
