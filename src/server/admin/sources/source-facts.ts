import { addSeconds, toIso, utcDay } from '../../../core/datetime.ts';
import { primaryOf } from '../../../store/admin/primary.ts';
import { type Harvester, listHarvesters } from '../../../store/oai/harvesters.ts';
import { readSourceDetails, type SourceDetails } from '../../../store/reading/source-details.ts';
import { type DueState, listDue } from '../../../store/runs/due.ts';
import { listRunsBefore } from '../../../store/runs/recent-runs.ts';
import type { Run, RunKind } from '../../../store/runs/runs.ts';
import { listVanished, type VanishedItem } from '../../../store/runs/vanished.ts';
import { type DayCounts, listCounts } from '../../../store/sources/counts.ts';
import { findSource, type StoredSource } from '../../../store/sources/sources.ts';
import type { Setting, SourceSettings } from '../../deps.ts';
import { refuse } from '../../http/errors.ts';
import type { AdminServer } from '../guard/admin-server.ts';
import { readRows, type SourceRow } from './source-rows.ts';

export const runsPerPage = 30;
const vanishedShown = 20;

/** Everything that is told of one source. */
export interface SourceFactsView {
  readonly row: SourceRow;
  readonly stored: StoredSource | undefined;
  readonly details: SourceDetails | undefined;
  readonly due: readonly DueState[];
  /** The newest first. */
  readonly runs: readonly Run<RunKind>[];
  /** Some of what is missing. */
  readonly vanished: readonly VanishedItem[];
  /** Day by day for a year, the oldest first. */
  readonly counts: readonly DayCounts[];
  /** By OAI-PMH, whoever came last first. */
  readonly harvesters: readonly Harvester[];
  readonly settings: readonly Setting[];
  /** Whether it is kept in the database, or in which file it stands. */
  readonly configured: Pick<SourceSettings, 'from'> & { readonly place: string | undefined };
  readonly now: string;
}

/** @throws Refusal where there is no such source */
export async function findRow(deps: AdminServer, name: string): Promise<SourceRow> {
  const row = (await readRows(deps)).find((one) => one.name === name);
  if (!row) throw refuse('not-found', 'source-unknown', { name, names: '' });
  return row;
}

function aYearBefore(now: Date): string {
  return utcDay(addSeconds(toIso(now), -366 * 86_400));
}

/** @param before a run: those before it */
export async function readSourceFacts(
  deps: AdminServer,
  name: string,
  before: number | undefined,
): Promise<SourceFactsView> {
  const row = await findRow(deps, name);
  const { database, clock } = deps;
  const db = primaryOf(database);
  const now = clock.now();
  const stored = await findSource(db, name);
  const details = (await readSourceDetails(db, [name], { runs: 1, problems: 5 })).get(name);
  const due = (await listDue(db, now.getTime() - database.aheadMs)).filter((one) => one.source === name);
  const runs = await listRunsBefore(db, name, { before, limit: runsPerPage + 1 });
  const isMissing = stored && details && details.vanished.items > 0;
  const vanished = isMissing ? await listVanished(db, stored.id, 0, vanishedShown) : [];
  const counts = stored ? await listCounts(db, stored.id, aYearBefore(now)) : [];
  const harvesters = (await listHarvesters(db, [name])).get(name) ?? [];
  const { settings, from, place } = await deps.admin.acts.settingsOf(name);
  return {
    row,
    stored,
    details,
    due,
    runs,
    vanished,
    counts,
    harvesters,
    settings,
    configured: { from, place },
    now: toIso(now),
  };
}
