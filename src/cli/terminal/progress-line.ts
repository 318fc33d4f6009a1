import { countOf } from '../../core/count-of.ts';
import type { Paint } from './terminal-text.ts';

/** How far something is that is counted. Times are in milliseconds. */
export interface Stage {
  readonly label: string;
  readonly done: number;
  /** How many there are, or are said to be; undefined: nobody knows. */
  readonly total?: number | undefined;
  /** What is counted, in the singular; `byte`: shown in MB. */
  readonly noun: string;
  /** What is done with it. */
  readonly deed?: string | undefined;
  /** Of `done`, what was done before `startedAt`: it says nothing about the pace of now. */
  readonly before?: number | undefined;
  /** Said at the end of the line, where it fits. */
  readonly note?: string | undefined;
  readonly startedAt: number;
}

const widestBar = 24;
const narrowestBar = 6;
/** Until then a pace says little about the time that is left. */
const soonestForecastMs = 2_000;

/**
 * `demo ████████░░░░░░░░ 50 % 1200 of 2400 records, 200/s, 6 s left`; without a total `demo 1200 records, 200/s, 6 s`.
 * @param width columns that it may fill: the bar gives way first, then the end of the line
 */
export function progressLine(stage: Stage, now: number, width: number, paint: Paint): string {
  const { label, done } = stage;
  const counted = stage.noun === 'byte' ? megabytes : counter(stage.noun);
  const elapsedMs = Math.max(0, now - stage.startedAt);
  const pace = elapsedMs > 0 ? Math.max(0, done - (stage.before ?? 0)) / (elapsedMs / 1000) : 0;
  const rate = pace > 0 ? `, ${counted.rate(pace)}/s` : '';
  const deed = stage.deed ? ` ${stage.deed}` : '';
  const note = stage.note ? ` (${stage.note})` : '';
  // A total that was passed was none.
  const total = stage.total !== undefined && stage.total > 0 && done <= stage.total ? stage.total : undefined;
  if (total === undefined) {
    const sofar = duration(Math.floor(elapsedMs / 1000));
    return cut(`${label} ${counted.of(done)}${deed}${rate}, ${sofar}${note}`, width);
  }
  const share = done / total;
  const isForeseen = pace > 0 && done < total && elapsedMs >= soonestForecastMs;
  const left = isForeseen ? `, ${duration((total - done) / pace)} left` : '';
  const percentage = `${Math.floor(share * 100)} %`.padStart(5);
  const counts = `${percentage} ${counted.number(done)} of ${counted.of(total)}${deed}${rate}${left}`;
  const free = width - label.length - counts.length - 2;
  const text = counts + (free - widestBar >= note.length ? note : '');
  if (free < narrowestBar) return cut(`${label} ${text.trimStart()}`, width);
  const length = Math.min(widestBar, free);
  const full = Math.floor(share * length);
  return `${label} ${paint('green', '█'.repeat(full))}${paint('dim', '░'.repeat(length - full))} ${text}`;
}

/** How numbers of one kind are written. */
interface Counted {
  number(count: number): string;
  /** With what is counted. */
  of(count: number): string;
  rate(pace: number): string;
}

function counter(noun: string): Counted {
  return { number: String, of: (count) => countOf(count, noun), rate: rounded };
}

const megabytes: Counted = {
  number: (bytes) => rounded(bytes / 1_000_000),
  of: (bytes) => `${rounded(bytes / 1_000_000)} MB`,
  rate: (pace) => `${rounded(pace / 1_000_000)} MB`,
};

function rounded(number: number): string {
  return number < 10 ? number.toFixed(1) : String(Math.round(number));
}

/** `42 s`, `7 min`, `2 h 10 min`, `3 d 4 h` */
export function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 90) return `${whole} s`;
  const minutes = Math.round(whole / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

function cut(line: string, width: number): string {
  return line.length <= width ? line : `${line.slice(0, Math.max(0, width - 1))}…`;
}
