import type { Actor } from '../../store/admin/audit.ts';
import { lookAtClock } from '../../store/runs/clock-ahead.ts';
import { askFor } from '../../store/runs/due.ts';
import { nextEdition } from '../../store/sources/edition.ts';
import { noteAct } from '../sources/source-acts.ts';
import type { StoredBridge } from '../stored-bridge.ts';

type Stored = Pick<StoredBridge, 'database' | 'clock'>;

/** Has the Resource Lists of all sets, or their dumps, made anew by whichever process publishes. */
export async function publishNow(bridge: Stored, what: 'lists' | 'dumps', by: Actor): Promise<void> {
  const { database } = bridge;
  await askFor(database, { sources: [''], kind: what }, await lookAtClock(database));
  await noteAct(bridge, by, 'published', what);
}

/** Has every process at this database read its configuration again. */
export async function reloadNow(bridge: Stored, by: Actor): Promise<void> {
  await nextEdition(bridge.database.writer);
  await noteAct(bridge, by, 'reloaded the configuration');
}
