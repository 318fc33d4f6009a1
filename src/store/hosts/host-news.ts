import { toIso } from '../../core/datetime.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { databaseNow } from '../engine/database-clock.ts';

/** What processes tell one another of a host. */
export interface HostNews {
  readonly host: string;
  /** For so long it is to be left alone. */
  readonly restMs: number;
  readonly reason: string | undefined;
  /** Somebody waits for a slot there. */
  readonly wantedBy: string | undefined;
}

/** Of those hosts only that there is something to tell of. */
export async function readHostNews({ reader }: Database): Promise<readonly HostNews[]> {
  const now = databaseNow(reader);
  const rows: { name: string; rest: number; reason: string | null; wanted: number; by: string | null }[] =
    await reader('host')
      .select('name', 'reason', { by: 'wanted_by' })
      .select(reader.raw(`rest_until - ${now} as rest`), reader.raw(`wanted_until - ${now} as wanted`))
      .whereRaw(`rest_until > ${now} or wanted_until > ${now}`);
  return rows.map(({ name, rest, reason, wanted, by }) => ({
    host: name,
    restMs: Math.max(0, Number(rest)),
    reason: reason ?? undefined,
    wantedBy: Number(wanted) > 0 ? (by ?? undefined) : undefined,
  }));
}

/** Nobody is to ask anything there for so long; a longer rest stays. */
export async function restHost(
  { writer }: Database,
  host: string,
  milliseconds: number,
  reason: string | undefined,
): Promise<void> {
  const until = `${databaseNow(writer)} + ?`;
  await writer.raw(
    `insert into host (name, rest_until, reason, wanted_until) values (?, ${until}, ?, 0)
      on conflict (name) do update set rest_until = excluded.rest_until, reason = excluded.reason
      where host.rest_until < excluded.rest_until`,
    [host, Math.round(milliseconds), reason ?? null],
  );
}

/** Whoever has slots there is asked to give one back. */
export async function wantHost(
  { writer }: Database,
  host: string,
  holder: string,
  milliseconds: number,
): Promise<void> {
  await writer.raw(
    `insert into host (name, rest_until, wanted_until, wanted_by) values (?, 0, ${databaseNow(writer)} + ?, ?)
      on conflict (name) do update set wanted_until = excluded.wanted_until, wanted_by = excluded.wanted_by`,
    [host, milliseconds, holder],
  );
}

/** A host, or a politeness group, that is left alone. */
export interface RestingHost {
  readonly host: string;
  /** ISO. */
  readonly until: string;
  readonly reason: string | undefined;
}

export async function listRestingHosts(db: Queryable): Promise<readonly RestingHost[]> {
  const rows: { name: string; rest_until: number; reason: string | null }[] = await db('host')
    .select('name', 'rest_until', 'reason')
    .whereRaw(`rest_until > ${databaseNow(db)}`)
    .orderBy('name');
  return rows.map(({ name, rest_until: until, reason }) => ({
    host: name,
    until: toIso(new Date(Number(until))),
    reason: reason ?? undefined,
  }));
}
