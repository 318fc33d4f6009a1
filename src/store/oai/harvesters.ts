import type { Knex } from 'knex';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Database, Queryable } from '../engine/database.ts';

/** What somebody harvested of a source by OAI-PMH. Times are ISO UTC seconds. */
export interface Harvester {
  /** `User-Agent` and `From` of its requests; empty: it says nothing. */
  readonly agent: string;
  readonly sender: string;
  readonly firstAt: string;
  readonly lastAt: string;
  /** Of its last list; undefined: it asked for everything. */
  readonly lastFrom: string | undefined;
  readonly requests: number;
  /** Records or headers. */
  readonly records: number;
}

/** Of some requests of one harvester, which are added to what is known of it. */
export interface Harvested extends Harvester {
  readonly sourceId: number;
}

/** Names can be made up: of more, those that came last are kept. */
const mostOfSource = 200;

export async function addHarvests(
  database: Pick<Database, 'offhand'>,
  harvests: readonly Harvested[],
): Promise<void> {
  await database.offhand(async (trx) => {
    for (const one of harvests) {
      const key = { source_id: one.sourceId, agent: one.agent, sender: one.sender };
      const added = await trx('oai_harvester')
        .where(key)
        .update({
          last_at: one.lastAt,
          last_from: one.lastFrom ?? null,
          requests: trx.raw('requests + ?', [one.requests]),
          records: trx.raw('records + ?', [one.records]),
        });
      if (added > 0) continue;
      const { firstAt, lastAt, lastFrom, requests, records } = one;
      await trx('oai_harvester')
        .insert({
          ...key,
          first_at: firstAt,
          last_at: lastAt,
          last_from: lastFrom ?? null,
          requests,
          records,
        })
        .onConflict(['source_id', 'agent', 'sender'])
        .ignore();
      await forgetOldest(trx, one.sourceId);
    }
  });
}

async function forgetOldest(trx: Knex.Transaction, sourceId: number): Promise<void> {
  const rows: { agent: string; sender: string }[] = await trx('oai_harvester')
    .where({ source_id: sourceId })
    .orderBy(['last_at', 'agent', 'sender'])
    .select('agent', 'sender');
  for (const { agent, sender } of rows.slice(0, Math.max(0, rows.length - mostOfSource)))
    await trx('oai_harvester').where({ source_id: sourceId, agent, sender }).delete();
}

/** Of these sources, by name, whoever came last first. */
export async function listHarvesters(
  db: Queryable,
  sources: readonly string[],
): Promise<ReadonlyMap<string, readonly Harvester[]>> {
  const rows: {
    name: string;
    agent: string;
    sender: string;
    first_at: string;
    last_at: string;
    last_from: string | null;
    requests: number | string;
    records: number | string;
  }[] = await db('oai_harvester')
    .join('source', 'source.id', 'oai_harvester.source_id')
    .modify((query) => whereAnyOf(query, 'source.name', sources))
    .orderBy([
      { column: 'oai_harvester.last_at', order: 'desc' },
      { column: 'oai_harvester.agent' },
      { column: 'oai_harvester.sender' },
    ])
    .select('source.name', 'oai_harvester.*');
  const found = new Map<string, Harvester[]>();
  for (const row of rows) {
    const harvester = {
      agent: row.agent,
      sender: row.sender,
      firstAt: row.first_at,
      lastAt: row.last_at,
      lastFrom: row.last_from ?? undefined,
      requests: Number(row.requests),
      records: Number(row.records),
    };
    const others = found.get(row.name);
    if (others) others.push(harvester);
    else found.set(row.name, [harvester]);
  }
  return found;
}
