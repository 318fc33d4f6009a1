import type { Database } from '../engine/database.ts';
import type { DueKind } from './due.ts';

/**
 * Takes work from the process that does it: that process notices when it gives its next sign of life, and ends after its page. It is
 * due again at its next turn.
 * @returns whether anybody was at it
 */
export async function stopWork(
  { writer }: Pick<Database, 'writer'>,
  { source, kind, next }: { source: string; kind: DueKind; next: number | undefined },
): Promise<boolean> {
  const stopped = await writer('due')
    .where({ source, kind })
    .whereNotNull('holder')
    .update({ holder: null, expires: null, asked_at: null, priority: 0, due_at: next ?? null });
  return stopped > 0;
}
