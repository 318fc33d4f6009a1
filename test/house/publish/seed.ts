import type { Clock, Log } from '../../../src/core/adapter.ts';
import { toIso } from '../../../src/core/datetime.ts';
import type { ChangeKind, Link, ResourceKind } from '../../../src/core/resource.ts';
import type { Database } from '../../../src/store/engine/database.ts';

/** Rows of a source's journal and the resources that result, without the writing side of the store. */
export interface SeedChange {
  readonly name: string;
  readonly at: string;
  readonly change?: ChangeKind;
  readonly kind?: ResourceKind;
  readonly links?: readonly Link[];
}

export const baseUrl = 'https://repo.example.org/rs';

export async function seedSource(
  database: Database,
  name: string,
  at = '2026-01-01T00:00:00Z',
): Promise<void> {
  await database.writer('source').insert({ name, journal_at: at });
}

export async function seedChanges(
  database: Database,
  source: string,
  changes: readonly SeedChange[],
): Promise<void> {
  await database.transaction(async (trx) => {
    const row = await trx('source').where({ name: source }).first();
    let seq = Number(row.journal_seq);
    let journalAt: string = row.journal_at;
    for (const { name, at, change = 'created', kind = 'metadata', links = [] } of changes) {
      seq += 1;
      if (at > journalAt) journalAt = at;
      const path = `${source}/items/${name}/${kind === 'file' ? 'files/1-a.pdf' : 'oai_dc.xml'}`;
      const deletedAt = change === 'deleted' ? at : null;
      const facts = {
        lastmod: at,
        media_type: kind === 'file' ? 'application/pdf' : 'application/xml',
        length: 1000 + seq,
        hash: `sha-256:${seq.toString(16).padStart(64, '0')}`,
        links: JSON.stringify(links),
      };
      const known = await trx('resource').where({ path }).first('id');
      let resourceId: number = known?.id;
      if (known) {
        await trx('resource')
          .where({ id: resourceId })
          .update({ ...facts, last_seq: seq, deleted_at: deletedAt });
      } else {
        const [item] = await trx('item')
          .insert({ source_id: row.id, identifier: `${kind}:${name}` })
          .returning('id');
        const format = kind === 'file' ? 'file' : 'oai_dc';
        const place = { source_id: row.id, item_id: item.id, path, kind, format, version_count: 1 };
        const [inserted] = await trx('resource')
          .insert({ ...place, ...facts, last_seq: seq, deleted_at: deletedAt })
          .returning('id');
        resourceId = inserted.id;
      }
      await trx('change').insert({
        source_id: row.id,
        seq,
        resource_id: resourceId,
        at,
        kind: change,
        ...facts,
      });
      await trx('moment').insert({ source_id: row.id, at, seq }).onConflict(['source_id', 'at']).merge();
    }
    await trx('source').where({ id: row.id }).update({ journal_seq: seq, journal_at: journalAt });
  });
}

export async function endFirstPass(database: Database, source: string): Promise<void> {
  await database
    .writer('source')
    .where({ name: source })
    .update({ first_pass_seq: database.writer.ref('journal_seq') });
}

/** A clock that stands until it is set. */
export class HandClock implements Clock {
  #now: Date;

  constructor(iso: string) {
    this.#now = new Date(iso);
  }

  now(): Date {
    return this.#now;
  }

  set(iso: string): void {
    this.#now = new Date(iso);
  }

  async sleep(milliseconds: number): Promise<void> {
    this.set(toIso(new Date(this.#now.getTime() + milliseconds)));
  }
}

export const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
