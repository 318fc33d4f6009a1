import type { Knex } from 'knex';
import { type AlertState, type AlertSubject, keyOfAlert } from '../../core/alerts/alert.ts';
import type { Queryable } from '../engine/database.ts';

interface StateRow {
  readonly kind: string;
  readonly subject: string;
  readonly state: string;
}

/** Of all that is wrong, or was a while ago. */
export async function readAlertStates(db: Queryable): Promise<readonly AlertState[]> {
  const rows: StateRow[] = await db('alert_state').orderBy(['kind', 'subject']);
  return rows.map(({ state }) => JSON.parse(state) as AlertState);
}

const rowsAtATime = 100;

export async function writeAlertStates(
  trx: Knex.Transaction,
  changed: readonly AlertState[],
  ended: readonly AlertSubject[],
): Promise<void> {
  const rows = changed.map((state) => ({
    ...{ kind: state.kind, subject: state.subject },
    state: JSON.stringify(state),
  }));
  for (let from = 0; from < rows.length; from += rowsAtATime)
    await trx('alert_state')
      .insert(rows.slice(from, from + rowsAtATime))
      .onConflict(['kind', 'subject'])
      .merge();
  const kept = new Set(changed.map(keyOfAlert));
  for (const one of ended)
    if (!kept.has(keyOfAlert(one)))
      await trx('alert_state').where({ kind: one.kind, subject: one.subject }).delete();
}
