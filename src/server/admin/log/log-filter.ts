import { type LogLevel, logLevels } from '../../../store/presence/log-levels.ts';
import type { LogFilter } from '../../../store/presence/log-lines.ts';
import { refuse } from '../../http/errors.ts';

export const levelNames = Object.keys(logLevels) as readonly LogLevel[];

/** Empty fields of a form are as if they were not there. @throws Refusal where something is not what it has to be */
export function readLogFilter(query: Readonly<Record<string, unknown>>): LogFilter {
  const text = (name: string) => {
    const value = query[name];
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
  };
  const [level, run] = [text('level'), text('run')];
  if (level !== undefined && !levelNames.some((one) => one === level))
    throw refuse('bad-request', 'level-unknown', { names: levelNames.join(', ') });
  if (run !== undefined && !/^\d{1,9}$/.test(run)) throw refuse('bad-request', 'run-unreadable', {});
  return {
    source: text('source')?.slice(0, 200),
    level: level as LogLevel | undefined,
    run: run === undefined ? undefined : Number(run),
    words: text('q')?.slice(0, 200),
  };
}

/** As a part of an address; empty: all lines. */
export function logQuery({ source, level, run, words }: LogFilter): string {
  const given = { source, level, run, q: words };
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) if (value !== undefined) params.set(name, String(value));
  return params.toString();
}
