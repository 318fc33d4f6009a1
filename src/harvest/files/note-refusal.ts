import type { SourceConfig } from '../../core/config/config.ts';
import { toIso } from '../../core/datetime.ts';
import { isBridgeError } from '../../core/errors.ts';
import type { FileRefusal } from '../../core/files/upstream-files.ts';
import { saveRemoteFiles } from '../../store/files/remote-file-writing.ts';
import { findRemoteFiles } from '../../store/files/remote-files.ts';
import { type Settled, settleRefusals } from '../../store/pages/settle.ts';
import { sourceIdOf } from '../../store/rows/one-source.ts';
import { borrowLease } from '../../store/runs/leases.ts';
import { fileRules } from '../file-rules.ts';
import { type HarvestDeps, instant } from '../harvest-source.ts';
import { afterVerdict } from './checks/check-schedule.ts';

export interface RefusedFile extends FileRefusal {
  /** Configured name of the source. */
  readonly source: string;
  readonly url: string;
}

/**
 * A repository said no while a file was handed through: everybody obeys from now on, and the file is asked for once
 * more. It is deleted at once, unless so many are refused that a person is to look.
 */
export async function noteRefusal(
  deps: Pick<HarvestDeps, 'database' | 'clock'>,
  { source, url, ...refusal }: RefusedFile,
  config: SourceConfig,
): Promise<void> {
  const { database, clock } = deps;
  const sourceId = await sourceIdOf(database.reader, source);
  if (sourceId === undefined) return;
  const known = (await findRemoteFiles(database.writer, sourceId, [url])).get(url);
  const now = toIso(clock.now());
  const file = known ?? { url, outcome: 'unchecked', failures: 0 };
  const seen = afterVerdict(file, refusal, now, config.files.recheckDays);
  await saveRemoteFiles(database, sourceId, [{ ...seen, dueBefore: undefined, dueAt: now }]);
  await settleNow(deps, source, config);
}

/** @returns undefined where another process does it within seconds */
export async function settleNow(
  { database, clock }: Pick<HarvestDeps, 'database' | 'clock'>,
  source: string,
  config: SourceConfig,
): Promise<Settled | undefined> {
  try {
    return await borrowLease(database, source, clock.now().getTime(), (lease) =>
      settleRefusals(database, lease, fileRules(config), () => instant(clock)),
    );
  } catch (error) {
    if (isBridgeError(error, 'lease-held') || isBridgeError(error, 'lease-lost')) return undefined;
    throw error;
  }
}
