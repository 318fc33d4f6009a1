import type { Queryable } from '../../store/engine/database.ts';
import { listDue } from '../../store/runs/due.ts';
import { type CommandIo, say } from './io.ts';

/** Of something that was left to `rsbridge serve`: says when it begins, where none works at the database. */
export async function sayWhereNobodyServes(io: CommandIo, db: Queryable, now: number): Promise<void> {
  const due = await listDue(db, now);
  if (!due.some(({ kind, isHeld }) => kind === 'publication' && isHeld))
    say(io, 'no rsbridge serve works at this database now; the next one that starts begins with it');
}
