import { addSeconds } from '../../../core/datetime.ts';
import { saysNo } from '../../../core/files/published-files.ts';
import type { RemoteFile } from '../../../store/files/remote-files.ts';
import type { Verdict } from './file-verdict.ts';
import { askedSeconds } from './host-health.ts';

const hour = 3600;
const day = 86_400;

/** Until the next look, by failures in a row; the last stands for all further ones. */
const unreachableSeconds = [hour, 6 * hour, day, 3 * day, 7 * day] as const;
/** A server that asks for patience so often in a row means more than it says. */
const believedTimes = 3;
const refusedSeconds = [day, 7 * day, 30 * day] as const;

/** How often what is confirmed is looked at again, in days; false: never. */
export type RecheckDays = number | false;

/**
 * A file after it was asked for. That there is no word of it does not overrule what it was refused for.
 * @param now ISO UTC
 */
export function afterVerdict<File extends RemoteFile>(
  file: File,
  verdict: Verdict,
  now: string,
  recheckDays: RecheckDays,
): RemoteFile {
  const seen: RemoteFile = { ...withoutStatements(file), dueBefore: file.dueAt, checkedAt: now };
  if (verdict.outcome === 'confirmed') {
    const dueAt = recheckDays === false ? undefined : addSeconds(now, spread(file.url, recheckDays * day));
    return { ...seen, outcome: 'confirmed', reason: undefined, failures: 0, dueAt };
  }
  const stays = saysNo(file.outcome) && verdict.outcome === 'unreachable';
  const failures = file.outcome === verdict.outcome ? file.failures + 1 : stays ? file.failures : 1;
  const waits = saysNo(verdict.outcome) ? refusedSeconds : unreachableSeconds;
  const usual = waits[Math.min(failures, waits.length) - 1] ?? hour;
  const asked = failures <= believedTimes ? askedSeconds(verdict, new Date(now)) : undefined;
  return {
    ...seen,
    outcome: stays ? file.outcome : verdict.outcome,
    reason: stays ? file.reason : verdict.reason,
    failures,
    dueAt: addSeconds(now, asked ?? spread(file.url, usual)),
  };
}

/** Not asked for now, for a reason that has nothing to do with it. */
export function postponed(file: RemoteFile, now: string, seconds: number = hour): RemoteFile {
  return { ...withoutStatements(file), dueBefore: file.dueAt, dueAt: addSeconds(now, seconds) };
}

/** Files that came up together are not all due at the same moment again; the same file always as late. */
function spread(url: string, seconds: number): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < url.length; index += 1) {
    hash = Math.imul(hash ^ url.charCodeAt(index), 0x01000193);
  }
  return Math.round(seconds * (1 + ((hash >>> 0) / 2 ** 32) * 0.2));
}

function withoutStatements(file: RemoteFile & { readonly stated?: unknown }): RemoteFile {
  const { stated: _, ...remote } = file;
  return remote;
}
