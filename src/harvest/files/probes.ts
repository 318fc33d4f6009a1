import { toIso } from '../../core/datetime.ts';
import { listProbes } from '../../store/files/due-files.ts';
import { saveRemoteFiles } from '../../store/files/remote-file-writing.ts';
import { sourceIdOf } from '../../store/rows/one-source.ts';
import type { HarvestDeps, HarvestSource } from '../harvest-source.ts';
import { keepContent } from './unconfirmed-files.ts';

const deadlineMs = 40_000;

/**
 * Asks for the few files whose servers' answers decide about many, whatever else is asked for or downloaded meanwhile.
 * @returns whether any was there
 */
export async function askProbes(
  { database, clock }: Pick<HarvestDeps, 'database' | 'clock'>,
  { name, fileCheck }: Pick<HarvestSource, 'name' | 'fileCheck'>,
  signal: AbortSignal,
): Promise<boolean> {
  const sourceId = await sourceIdOf(database.reader, name);
  if (sourceId === undefined || !fileCheck) return false;
  const probes = await listProbes(database.writer, sourceId, toIso(clock.now()));
  if (probes.length === 0) return false;
  const options = { budget: probes.length, deadline: deadlineMs, signal };
  const answers = await fileCheck.check(probes, options);
  const before = new Map(probes.map((file) => [file.url, file]));
  const seen = answers.map((answer) => keepContent(before.get(answer.url), answer));
  await saveRemoteFiles(database, sourceId, seen);
  return seen.some(({ outcome }) => outcome === 'confirmed');
}
