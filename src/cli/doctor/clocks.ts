import { type Diagnosis, diagnose } from './diagnosis.ts';

/** What another clock showed, and ours in the middle of asking for it; milliseconds since the epoch. */
export interface ClockReading {
  readonly name: string;
  readonly theirs: number;
  readonly ours: number;
}

/** `Date` has whole seconds, and an answer takes a while. */
const toleratedMs = 5000;
/** The database's is told in milliseconds. */
const toleratedOfDatabaseMs = 2000;
const mend = 'timedatectl set-ntp true (then: timedatectl timesync-status)';

/** @param aheadMs this clock before that of the database */
export function judgeDatabaseClock(aheadMs: number): readonly Diagnosis[] {
  const told = `this clock is ${secondsOf(aheadMs)} that of the database`;
  return diagnose(
    'clock of the database',
    [
      Math.abs(aheadMs) > toleratedOfDatabaseMs && {
        severity: 'warning',
        message: `${told}; processes go by that of the database, records are dated by this one`,
        mend: `on this machine and on that of the database: ${mend}`,
      },
    ],
    Math.abs(aheadMs) < 1000 ? 'agrees with this one' : told,
  );
}

/** Against what others say the time is: one may be wrong itself, most are not. */
export function judgeClocks(readings: readonly ClockReading[]): readonly Diagnosis[] {
  if (readings.length === 0) return [];
  const aheads = readings.map(({ name, theirs, ours }) => ({ name, ahead: ours - theirs }));
  const middle = median(aheads.map(({ ahead }) => ahead));
  const isOurs = Math.abs(middle) > toleratedMs;
  const others = isOurs ? [] : aheads.filter(({ ahead }) => Math.abs(ahead) > toleratedMs);
  const names = aheads.map(({ name }) => name).join(', ');
  return diagnose(
    'clock',
    [
      isOurs && {
        severity: 'warning',
        message: `this clock is ${secondsOf(middle)} that of ${names}; everything that is published is dated by it`,
        mend,
      },
      ...others.map(({ name, ahead }) => ({
        severity: 'note' as const,
        message: `this clock is ${secondsOf(ahead)} that of ${name}, and agrees with others: tell them`,
        mend: `sources: { NAME: { overlapSeconds: ${Math.ceil(Math.abs(ahead) / 1000) + 60} } }`,
      })),
    ],
    `agrees with ${names}`,
  );
}

/** The lower one of two in the middle. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => Math.abs(a) - Math.abs(b));
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

function secondsOf(aheadMs: number): string {
  return `${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs < 0 ? 'behind' : 'before'}`;
}
