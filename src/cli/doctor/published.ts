import { unpublishedSets } from '../../bridge/state/unpublished-sets.ts';
import type { StoredBridge } from '../../bridge/stored-bridge.ts';
import { readJournals } from '../../store/sources/journal.ts';
import { type Diagnosis, diagnose } from './diagnosis.ts';

const named = 5;

/** Of all that is harvested whole there are documents to serve: there are none after a backup was put back onto an empty disk. */
export async function checkPublishedSets(bridge: StoredBridge): Promise<readonly Diagnosis[]> {
  const journals = await readJournals(bridge.database.reader);
  const whole = Object.keys(bridge.config.sources).filter(
    (name) => journals.get(name)?.firstPassSeq !== undefined,
  );
  if (whole.length === 0) return [];
  const sets = await bridge.publication.sets();
  const missing: string[] = [];
  for (const name of whole) missing.push(...(await unpublishedSets(bridge, sets, name)));
  const more = missing.length > named ? `, and ${missing.length - named} more` : '';
  return diagnose(
    'published',
    [
      missing.length > 0 && {
        severity: 'warning',
        message: `not published yet: ${missing.slice(0, named).join(', ')}${more}`,
        mend: 'rsbridge publish (rsbridge serve does it by itself)',
      },
    ],
    'each source that is harvested',
  );
}
