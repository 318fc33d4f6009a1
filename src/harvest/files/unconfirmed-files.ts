import { toIso } from '../../core/datetime.ts';
import { hasUnknownFiles, listUnconfirmedFiles } from '../../store/files/due-files.ts';
import { saveRemoteFiles } from '../../store/files/remote-file-writing.ts';
import type { RemoteFile } from '../../store/files/remote-files.ts';
import type { Lease } from '../../store/runs/leases.ts';
import { otherBytesReason } from '../../store/tally/file-standing.ts';
import type { HarvestDeps, HarvestSource, RunSignals } from '../harvest-source.ts';
import { hasChanged } from './mirror/mirror-file.ts';

const filesAtATime = 100;
const deadlineMs = 600_000;

/**
 * Asks again for every file of which only its server knows whether everybody may read it, unless that was done since
 * the run began: nothing upstream tells of a change of policy. However many they are; where the server does not
 * answer, what it said before stays.
 * @param since ISO UTC
 */
export async function askUnconfirmed(
  { database, clock }: HarvestDeps,
  { fileCheck, config }: HarvestSource,
  { sourceId }: Lease,
  since: string,
  { stop, signal }: RunSignals,
): Promise<void> {
  const { mode } = config.files;
  if (!fileCheck || mode === 'none' || !(await hasUnknownFiles(database.writer, sourceId))) return;
  // A mirror downloads what it does not have: that tells more.
  const which = { limit: filesAtATime, keptOnly: mode === 'mirror' };
  for (let after = 0; !stop.aborted; ) {
    const now = toIso(clock.now());
    const found = await listUnconfirmedFiles(database.writer, sourceId, since, { ...which, after, now });
    if (found.last === undefined) return;
    after = found.last;
    const options = { budget: found.files.length, deadline: deadlineMs, signal };
    const answers = await fileCheck.check(found.files, options);
    const asked = answers.filter(({ checkedAt }) => (checkedAt ?? '') >= now);
    // Nobody is there.
    if (asked.length === 0) return;
    const before = new Map(found.files.map((file) => [file.url, file]));
    const seen = asked.map((answer) => keepContent(before.get(answer.url), answer));
    await saveRemoteFiles(database, sourceId, seen);
  }
}

/** A copy that is not what is there now is still what is known of it, until it is downloaded: at once. */
export function keepContent(before: RemoteFile | undefined, answer: RemoteFile): RemoteFile {
  if (before?.contentHash === undefined || answer.outcome !== 'confirmed') return answer;
  const reason = before.reason === otherBytesReason ? before.reason : answer.reason;
  if (before.download === undefined && !hasChanged(before, answer)) return { ...answer, reason };
  const { mediaType, length, etag, lastModified } = before;
  return { ...answer, reason, mediaType, length, etag, lastModified, dueAt: answer.checkedAt };
}
