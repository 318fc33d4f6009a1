import type { Knex } from 'knex';
import { hashFromText } from '../../../../src/store/drivers/sqlite-hashes.ts';
import type { Database } from '../../../../src/store/engine/database.ts';
import { ReadableContents, type SchemaOfBefore } from './readable-contents.ts';
import { migrations, sourcesOfBefore, stages } from './stages.ts';

const at = (day: number) => `2026-01-${String(day).padStart(2, '0')}T00:00:00Z`;

/**
 * An empty database as an earlier version left it, filled by SQL alone: records in two sources, one in fifty deleted, one in
 * five with a second version, one in ten with a file, with sets, prior versions, refused and withdrawn ones, as far as there
 * was a place for that.
 * @param resources of metadata, in both sources together: 100 or more
 */
export async function fillOfBefore(database: Database, stage: string, resources: number): Promise<void> {
  const names = stages.slice(0, stages.indexOf(stage) + 1);
  await database.transaction(async (trx) => {
    await trx.raw('create table schema_migration (name text primary key, run_at text not null)');
    for (const name of names) {
      await migrations[name as keyof typeof migrations].up(trx);
      await trx('schema_migration').insert({ name, run_at: at(1) });
    }
  });
  await database.transaction(async (trx) => {
    const filler = new Filler(trx, stage, resources);
    await filler.fill();
  });
}

type Values = Readonly<Record<string, string>>;

class Filler implements SchemaOfBefore {
  readonly #trx: Knex.Transaction;
  readonly resources: number;
  readonly #isPostgres: boolean;
  readonly #stage: string;

  constructor(trx: Knex.Transaction, stage: string, resources: number) {
    this.#trx = trx;
    this.#stage = stage;
    this.resources = resources;
    this.#isPostgres = trx.client.config.client === 'pg';
  }

  async fill(): Promise<void> {
    await this.#sources();
    await this.#numbers();
    await this.#items();
    await this.#resourceRows();
    await this.#history();
    await this.#files();
    await this.#prior();
    await new ReadableContents(this.#trx, this).fill();
    await this.#marks();
    await this.#trx.raw('drop table numbers');
    if (!this.#isPostgres) return;
    // Ids were given.
    for (const table of ['item', 'resource', ...(this.has('0003') ? ['remote_file'] : [])])
      await this.#trx.raw(`select setval('${table}_id_seq', (select coalesce(max(id), 1) from ${table}))`);
  }

  has(number: string): boolean {
    return this.#stage >= number;
  }

  /** Inserts what of these values the table had a column for. */
  async #insert(table: string, from: string, values: Values): Promise<void> {
    const own = await this.#trx(table).columnInfo();
    const columns = Object.keys(values).filter((column) => column in own);
    const list = columns.map((column) => values[column]).join(', ');
    await this.#trx.raw(`insert into ${table} (${columns.join(', ')}) select ${list} ${from}`);
  }

  async #sources(): Promise<void> {
    const n = this.resources;
    // Files follow the records; then come second versions, and deletions.
    const seq = n + Math.floor(n / 10) + Math.floor(n / 5) + Math.floor(n / 50);
    for (const [index, name] of sourcesOfBefore.entries()) {
      const id = index + 1;
      const row = {
        id,
        name,
        journal_id: `journal-of-${name}`,
        journal_seq: seq,
        journal_at: at(20),
        item_count: index === 0 ? n - Math.floor(n / 4) : Math.floor(n / 4),
        resource_count: index === 0 ? n - Math.floor(n / 4) : Math.floor(n / 4),
        first_pass_seq: 1,
        as_of: at(19),
        last_full_at: at(19),
      };
      await this.#trx('source').insert(row);
      await this.#trx('collection').insert({ id, source_id: id, spec: 'col_1', name: `Set of ${name}` });
      await this.#trx('run').insert({
        id,
        source_id: id,
        mode: 'full',
        state: 'succeeded',
        selection: '{}',
        started_at: at(18),
        updated_at: at(19),
        ended_at: at(19),
      });
    }
  }

  /** A row for each record, with its hashes: of its first and its second version. */
  async #numbers(): Promise<void> {
    const noise = this.#isPostgres
      ? (salt: string) => `'sha-256:' || encode(sha256(('${salt}' || n)::bytea), 'hex')`
      : () => `'sha-256:' || lower(hex(randomblob(32)))`;
    const series = this.#isPostgres ? `generate_series(1, ${this.resources}) as numbered(n)` : 'numbered';
    const recursive = this.#isPostgres
      ? ''
      : `with recursive numbered(n) as (select 1 union all select n + 1 from numbered where n < ${this.resources})`;
    await this.#trx.raw(
      `create table numbers (n integer primary key, source_id integer, name text, h1 text, h2 text)`,
    );
    await this.#trx.raw(
      `insert into numbers ${recursive} select n, case when n % 4 = 0 then 2 else 1 end,
      case when n % 4 = 0 then 'beta' else 'alpha' end, ${noise('a')}, ${noise('b')} from ${series}`,
    );
  }

  async #items(): Promise<void> {
    await this.#insert('item', 'from numbers', {
      id: 'n',
      source_id: 'source_id',
      identifier: `'oai:repo.example.org:' || n`,
      datestamp: `'${at(2)}'`,
      landing_due: `case when n % 300 = 0 then '${at(25)}' end`,
    });
    await this.#insert('item_collection', 'from numbers where n % 3 = 0', {
      item_id: 'n',
      collection_id: 'source_id',
    });
  }

  /** Octets where this schema keeps them so. */
  hash(text: string): string {
    return !this.#isPostgres && this.has('0032') ? hashFromText(text) : text;
  }

  get #links(): string {
    return `case when n % 3 = 0 then '[{"rel":"collection","href":"' || name || '/collections/col_1"}]' else '[]' end`;
  }

  get #path(): string {
    return `name || '/items/oai:repo.example.org:' || n || '/oai_dc.xml'`;
  }

  get #filePath(): string {
    return `name || '/items/oai:repo.example.org:' || n || '/files/1-a.pdf'`;
  }

  async #resourceRows(): Promise<void> {
    const n = this.resources;
    await this.#insert('resource', 'from numbers', {
      id: 'n',
      source_id: 'source_id',
      item_id: 'n',
      path: this.#path,
      kind: `'metadata'`,
      format: `'oai_dc'`,
      media_type: `case when n % 50 <> 7 then 'application/xml' end`,
      length: 'case when n % 50 <> 7 then 300 end',
      hash: this.hash('case when n % 50 = 7 then null when n % 5 = 0 then h2 else h1 end'),
      lastmod: `case when n % 50 = 7 then '${at(9)}' when n % 5 = 0 then '${at(5)}' else '${at(2)}' end`,
      upstream_url: `'https://repo.example.org/oai?identifier=' || n`,
      links: `case when n % 50 = 7 then '[]' else ${this.#links} end`,
      last_seq: `case when n % 50 = 7 then ${this.#deletion} when n % 5 = 0 then ${this.second} else n end`,
      version_count: 'case when n % 5 = 0 then 2 else 1 end',
      deleted_at: `case when n % 50 = 7 then '${at(9)}' end`,
      seen_run: 'source_id',
      withdrawn_at: `case when n % 350 = 57 then '${at(9)}' end`,
    });
    await this.#insert('resource', 'from numbers where n % 10 = 0', {
      id: `${n} + n / 10`,
      source_id: 'source_id',
      item_id: 'n',
      path: this.#filePath,
      kind: `'file'`,
      format: `'file'`,
      media_type: `'application/pdf'`,
      length: '4711',
      hash: `'md5:' || substr(h1, 9, 32)`,
      lastmod: `'${at(3)}'`,
      upstream_url: `'https://repo.example.org/files/' || n || '.pdf'`,
      links: `'[]'`,
      last_seq: `${n} + n / 10`,
      version_count: '1',
      seen_run: 'source_id',
    });
  }

  get second(): string {
    return `${this.resources + Math.floor(this.resources / 10)} + n / 5`;
  }

  get #deletion(): string {
    const before = this.resources + Math.floor(this.resources / 10) + Math.floor(this.resources / 5);
    return `${before} + (n - 7) / 50 + 1`;
  }

  async #history(): Promise<void> {
    const kinds = [
      { from: 'from numbers', seq: 'n', day: 2, kind: 'created', hash: 'h1' },
      { from: 'from numbers where n % 5 = 0', seq: this.second, day: 5, kind: 'updated', hash: 'h2' },
      { from: 'from numbers where n % 50 = 7', seq: this.#deletion, day: 9, kind: 'deleted', hash: 'null' },
    ];
    for (const { from, seq, day, kind, hash } of kinds) {
      const isGone = kind === 'deleted';
      const facts = {
        media_type: isGone ? 'null' : `'application/xml'`,
        length: isGone ? 'null' : '300',
        hash: isGone ? 'null' : this.hash(hash),
      };
      // Since then a version has the facts of its change.
      const said = this.has('0031') ? {} : facts;
      const row = { source_id: 'source_id', seq, resource_id: 'n' };
      await this.#insert('change', from, {
        ...row,
        at: `'${at(day)}'`,
        kind: `'${kind}'`,
        lastmod: this.has('0031') ? `''` : `'${at(day)}'`,
        links: isGone ? `'[]'` : this.#links,
        links_before: isGone ? this.#links : 'null',
        ...said,
      });
      if (isGone && !this.has('0005')) continue;
      await this.#insert('version', from, {
        ...row,
        at: this.has('0031') ? `''` : `'${at(day)}'`,
        lastmod: `'${at(day)}'`,
        ...facts,
        gone: isGone ? '1' : '0',
        dropped_at: `case when n % 70 = 57 then '${at(9)}' end`,
      });
    }
    for (const { hash, from } of kinds.slice(0, 2))
      await this.#insert('blob', from, {
        hash: this.hash(hash),
        length: '300',
        coding: `'identity'`,
        data: this.#isPostgres ? `sha256(${hash}::bytea) || sha256(${hash}::bytea)` : 'randomblob(64)',
      });
    await this.#moments();
  }

  async #moments(): Promise<void> {
    if (!this.has('0005')) return;
    await this.#trx.raw(
      'insert into moment (source_id, at, seq) select source_id, at, max(seq) from change group by source_id, at',
    );
  }

  async #files(): Promise<void> {
    const n = this.resources;
    const from = 'from numbers where n % 10 = 0';
    const facts = {
      media_type: `'application/pdf'`,
      length: '4711',
      hash: `'md5:' || substr(h1, 9, 32)`,
    };
    const row = { source_id: 'source_id', seq: `${n} + n / 10`, resource_id: `${n} + n / 10` };
    await this.#insert('change', from, {
      ...row,
      at: `'${at(3)}'`,
      kind: `'created'`,
      lastmod: `'${at(3)}'`,
      links: `'[]'`,
      ...facts,
    });
    await this.#insert('version', from, {
      ...row,
      at: `'${at(3)}'`,
      lastmod: `'${at(3)}'`,
      upstream_url: `'https://repo.example.org/files/' || n || '.pdf'`,
      ...facts,
    });
    if (!this.has('0003')) return;
    const url = { source_id: 'source_id', url: `'https://repo.example.org/files/' || n || '.pdf'` };
    await this.#insert('item_file', from, {
      item_id: 'n',
      origin: `'oai_dc'`,
      rank: '1',
      sequence: '1',
      name: `'a.pdf'`,
      ...url,
      ...facts,
    });
    await this.#insert('remote_file', from, {
      id: 'n / 10',
      ...url,
      outcome: `case when n % 500 = 0 then 'refused' else 'confirmed' end`,
      reason: `case when n % 500 = 0 then 'it says 403' end`,
      checked_at: `'${at(4)}'`,
      due_at: `'${at(28)}'`,
      content_hash: `case when n % 40 = 0 then ${this.hash('h2')} end`,
      content_length: 'case when n % 40 = 0 then 4711 end',
      withheld_at: `case when n % 500 = 0 then '${at(4)}' end`,
    });
  }

  async #prior(): Promise<void> {
    if (!this.has('0004')) return;
    const from = 'from numbers where n % 20 = 0';
    await this.#insert('prior_version', from, {
      item_id: 'n',
      number: '1',
      at: `'2020-01-01T00:00:00Z'`,
      upstream_url: `'https://repo.example.org/v1/' || n`,
    });
    await this.#insert('prior_representation', from, {
      item_id: 'n',
      number: '1',
      kind: `'metadata'`,
      format: `'oai_dc'`,
      sequence: '0',
      media_type: `'application/xml'`,
      length: '300',
      hash: this.hash('h1'),
    });
  }

  async #marks(): Promise<void> {
    if (this.has('0006'))
      await this.#insert('released', 'from numbers where n % 70 = 57', {
        source_id: 'source_id',
        resource_id: 'n',
        seq: 'n',
        end_seq: this.second,
        hash: this.hash('h1'),
        due_at: `'${at(29)}'`,
      });
    if (this.has('0030'))
      await this.#trx.raw(
        `insert into seen (source_id, chunk, run_id, bits) select source_id, n / 32, source_id, 1 from numbers where n % 32 = 0`,
      );
  }
}
