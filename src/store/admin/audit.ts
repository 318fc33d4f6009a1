import { addSeconds } from '../../core/datetime.ts';
import type { Database, Queryable } from '../engine/database.ts';

/** What can be done, in the words of the log; pages say it in the language of the reader. */
export const actions = [
  'harvest',
  'full',
  'identifiers',
  'stop',
  'pause',
  'resume',
  'tried again',
  'was notified',
  'approved deletions',
  'rejected deletions',
  'accepted refusals',
  'withdrew',
  'restored',
  'looked for a source',
  'tried a source',
  'added a source',
  'changed a source',
  'removed a source',
  'removed what is published',
  'published',
  'reloaded the configuration',
  'added a subscription',
  'removed a subscription',
  'tried a subscription',
  'moved the storage',
  'made a backup',
  'restored a backup',
  'made a token',
  'revoked a token',
  'ended shared links',
  'made a link to set a password',
  'set the password by a link',
  'set a password',
  'changed the password',
  'removed an account',
  'signed in',
  'signed out',
  'failed to sign in',
  'ended a session',
] as const;
export type Action = (typeof actions)[number];

/** Whoever does something. */
export interface Actor {
  /** An account, `token NAME`, or `USER@HOST` of a command line. */
  readonly who: string;
  /** Of the client; a command line has none. */
  readonly address?: string | undefined;
}

/** Who did what, when and from where. */
export interface AuditEntry extends Actor {
  readonly id: number;
  readonly at: string;
  /** One of `actions`, or of another release. */
  readonly action: string;
  readonly what?: string | undefined;
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
  { at, who, action, what, address }: Omit<AuditEntry, 'id' | 'action'> & { readonly action: Action },
): Promise<void> {
  await writer('audit').insert({
    at,
    who: who.slice(0, 200),
    action,
    what: what?.slice(0, 1000) ?? null,
    address: address ?? null,
  });
}

/** Which acts are meant; what is unset does not matter. */
export interface ActFilter {
  /** In who did it, what it was done with, or where from; upper and lower case are the same. */
  readonly q?: string | undefined;
  readonly action?: string | undefined;
  /** ISO. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

export interface ActPage extends ActFilter {
  /** An id. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** The newest first. */
export async function listActs(
  db: Queryable,
  { before, limit, q, action, since, until }: ActPage,
): Promise<readonly AuditEntry[]> {
  const rows: AuditRow[] = await db('audit')
    .modify((query) => {
      if (before !== undefined) query.where('id', '<', before);
      if (action !== undefined) query.where({ action });
      if (since !== undefined) query.where('at', '>=', since);
      if (until !== undefined) query.where('at', '<', until);
      if (q !== undefined)
        query.where((some) => {
          for (const column of ['who', 'what', 'address'])
            some.orWhereRaw(`lower(${column}) like ? escape '!'`, [containing(q)]);
        });
    })
    .orderBy('id', 'desc')
    .limit(limit);
  return rows.map(({ what, address, ...row }) => ({
    ...row,
    ...(what === null ? {} : { what }),
    ...(address === null ? {} : { address }),
  }));
}

/** As a pattern of SQL. */
function containing(text: string): string {
  return `%${text.toLowerCase().replace(/[!%_]/g, '!$&')}%`;
}

export async function pruneActs({ writer }: Pick<Database, 'writer'>, now: string): Promise<void> {
  await writer('audit').where('at', '<', addSeconds(now, -keptSeconds)).delete();
}
