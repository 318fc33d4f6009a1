import { type LogLevel, logLevels } from '../../store/presence/log-levels.ts';
import type { NewLogLine } from '../../store/presence/log-lines.ts';

/** A line as pino wrote it, without its secrets. */
export type WrittenLine = Readonly<Record<string, unknown>>;

/**
 * What the dashboard's log has of a line: warnings, errors, and the milestones of runs.
 * @param process whose it is
 * @returns undefined where it is not kept: requests, details, and harvests that found nothing new
 */
export function keptLine(line: WrittenLine, process: string): NewLogLine | undefined {
  const { level, time, msg, source, runId, set, pid: _pid, hostname: _host, ...rest } = line;
  if (typeof level !== 'number' || level < logLevels.info || typeof msg !== 'string') return undefined;
  if (level === logLevels.info && (isRequest(rest) || isIdle(rest))) return undefined;
  const ofSet = typeof set === 'string' ? set : undefined;
  const named = typeof source === 'string' ? source : sourceOf(ofSet);
  const fields = ofSet === undefined ? rest : { set: ofSet, ...rest };
  return {
    at: typeof time === 'string' ? time : new Date().toISOString(),
    level: levelOf(level),
    source: named,
    run: Number.isSafeInteger(runId) ? (runId as number) : undefined,
    process,
    message: msg,
    fields: Object.keys(fields).length === 0 ? undefined : fields,
  };
}

function isRequest({ method, path }: WrittenLine): boolean {
  return typeof method === 'string' && typeof path === 'string';
}

/** Every quarter of an hour of hundreds of sources: the history of runs has them. */
function isIdle({ mode, state, created, updated, deleted, problems }: WrittenLine): boolean {
  const isHarvest = mode === 'incremental' && state === 'succeeded';
  return isHarvest && created === 0 && updated === 0 && deleted === 0 && problems === 0;
}

/** A set across sources is of none. */
function sourceOf(set: string | undefined): string | undefined {
  const [first = ''] = (set ?? '').split('/', 1);
  return first === '' || first === 'sets' ? undefined : first;
}

function levelOf(level: number): LogLevel {
  return (Object.keys(logLevels) as LogLevel[]).findLast((name) => logLevels[name] <= level) ?? 'info';
}
