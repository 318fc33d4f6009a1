import { addSeconds } from '../../core/datetime.ts';
import type { Database, Queryable } from '../engine/database.ts';

/** Who did what, when and from where. */
export interface AuditEntry {
  readonly id: number;
  readonly at: string;
  /** An account, `token NAME`, or `command line`. */
  readonly who: string;
  readonly action: string;
  readonly what?: string | undefined;
  readonly address?: string | undefined;
}

interface AuditRow {
  readonly id: number;
  readonly at: string;
  readonly who: string;
  readonly action: string;
  readonly what: string | null;
  readonly address: string | null;
}

const keptSeconds = 400 * 86_400;

export async function recordAct(
  { writer }: Pick<Database, 'writer'>,
  { at, who, action, what, address }: Omit<AuditEntry, 'id'>,
): Promise<void> {
  await writer('audit').insert({
    at,
    who: who.slice(0, 200),
    action,
    what: what?.slice(0, 1000) ?? null,
    address: address ?? null,
  });
}

/** The newest first. @param before an id */
export async function listActs(
  db: Queryable,
  { before, limit }: { readonly before?: number | undefined; readonly limit: number },
): Promise<readonly AuditEntry[]> {
  const rows: AuditRow[] = await db('audit')
    .modify((query) => {
      if (before !== undefined) query.where('id', '<', before);
    })
    .orderBy('id', 'desc')
    .limit(limit);
  return rows.map(({ what, address, ...row }) => ({
    ...row,
    ...(what === null ? {} : { what }),
    ...(address === null ? {} : { address }),
  }));
}

export async function pruneActs({ writer }: Pick<Database, 'writer'>, now: string): Promise<void> {
  await writer('audit').where('at', '<', addSeconds(now, -keptSeconds)).delete();
}
