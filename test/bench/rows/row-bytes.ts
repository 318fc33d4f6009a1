import { statSync } from 'node:fs';
import type { SourceItem } from '../../../src/core/adapter.ts';
import type { DatabaseConfig } from '../../../src/core/config/config.ts';
import { mapItem } from '../../../src/core/mapping/mapping.ts';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { checkpointSqlite } from '../../../src/store/engine/sqlite-dialect.ts';
import { storePage } from '../../../src/store/pages/store-page.ts';
import { acquireLease } from '../../../src/store/runs/leases.ts';
import { startRun } from '../../../src/store/runs/runs.ts';
import { migrate } from '../../../src/store/schema/migrate.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { print } from '../once/processes.ts';

/** How many records there are, what they are made of, and how one becomes another. */
export interface Edited {
  readonly count: number;
  readonly words: readonly string[];
  edit(xml: string): string;
}

/** Of 2 kB, with what harvested records have: an address at the repository, a landing page, two sets. */
function harvested(position: number, content: string, datestamp: string): SourceItem {
  const local = `123456789/${position}`;
  return {
    identifier: `oai:repo.example.org:${local}`,
    datestamp,
    collections: [`com_${position % 7}`, `col_${position % 50}`],
    speaksFor: { formats: ['oai_dc'], files: undefined },
    deleted: false,
    files: [],
    landingPage: `https://repo.example.org/handle/${local}`,
    metadata: [
      {
        format: 'oai_dc',
        content: Buffer.from(content),
        profile: 'http://www.openarchives.org/OAI/2.0/oai_dc/',
        upstreamUrl: `https://repo.example.org/oai/request?verb=GetRecord&metadataPrefix=oai_dc&identifier=${encodeURIComponent(`oai:repo.example.org:${local}`)}`,
      },
    ],
  };
}

function record(position: number, words: readonly string[]): string {
  const text = (start: number, length: number) =>
    Array.from({ length }, (_, index) => words[(index * 7 + start * 31) % words.length]).join(' ');
  const fields = Array.from(
    { length: 4 },
    (_, index) => `<dc:subject>${text(position + index, 3)}</dc:subject>\n`,
  );
  return `<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">\n<dc:title>${text(position, 9)}</dc:title>\n${fields.join('')}<dc:description>${text(position, 190)}</dc:description>\n<dc:date>2020-01-01</dc:date>\n<dc:identifier>https://repo.example.org/handle/123456789/${position}</dc:identifier>\n</oai_dc:dc>`;
}

/** What the rows cost: of first versions, of further ones, and of a full pass in which nothing has changed. */
export async function measureRows(config: DatabaseConfig, { count, words, edit }: Edited): Promise<void> {
  const database = openDatabase(config);
  try {
    await migrate(database);
    await ensureSource(database, 'bench', '2026-01-01T00:00:00Z');
    const lease = await acquireLease(database, 'bench', Date.parse('2026-01-01T00:00:00Z'));
    const contents = Array.from({ length: count }, (_, position) => record(position, words));
    const rawBytes = Math.round(contents.reduce((sum, xml) => sum + Buffer.byteLength(xml), 0) / count);
    const pass = async (minute: number, mode: 'incremental' | 'full', datestamp: string) => {
      const iso = `2026-02-01T00:${String(minute).padStart(2, '0')}:00Z`;
      const started = { sourceId: lease.sourceId, mode, selection: '{}', since: undefined, startedAt: iso };
      const run = await startRun(database.writer, started);
      for (let start = 0; start < count; start += 1000) {
        const items = contents
          .slice(start, start + 1000)
          .map((xml, index) => mapItem('bench', harvested(start + index, xml, datestamp)));
        const now = { iso, milliseconds: Date.parse(iso) };
        await storePage(database, lease, run, { items, problems: [], checkpoint: undefined }, now);
      }
    };
    const grown = (after: ReadonlyMap<string, number>, before: ReadonlyMap<string, number>) =>
      Object.fromEntries(
        [...after].flatMap(([name, bytes]) => {
          const each = Math.round((bytes - (before.get(name) ?? 0)) / count);
          return each > 0 ? [[name, each] as const] : [];
        }),
      );
    const say = async (what: string, before: ReadonlyMap<string, number>, payloadBefore: number) => {
      const after = await sizes(database);
      const parts = grown(after, before);
      const total = Object.values(parts).reduce((sum, bytes) => sum + bytes, 0);
      const payload = Math.round(((await payloadBytes(database)) - payloadBefore) / count);
      print({
        database: database.client,
        what,
        rawBytes,
        total,
        payload,
        besidePayload: total - payload,
        ...parts,
      });
      return after;
    };
    const empty = await sizes(database);
    await pass(1, 'incremental', '2026-01-01T00:00:00Z');
    const first = await say('a first version', empty, 0);
    const payloads = await payloadBytes(database);
    for (const [index, xml] of contents.entries()) contents[index] = edit(xml);
    await pass(2, 'incremental', '2026-02-01T00:02:00Z');
    await say('a further version', first, payloads);
    const log = await openLog(database, config);
    await pass(3, 'full', '2026-02-01T00:02:00Z');
    print({
      database: database.client,
      what: 'a full pass in which nothing has changed, bytes of the log for each record',
      bytes: Number(((await log()) / count).toFixed(1)),
    });
  } finally {
    await database.close();
  }
}

/** Octets of the payloads themselves, as they are kept. */
async function payloadBytes({ reader }: Database): Promise<number> {
  const [row] = await reader('blob').select(reader.raw('sum(length(data)) as bytes'));
  return Number(row?.bytes ?? 0);
}

/** @returns what says how much has been written into the database's log since */
async function openLog({ writer }: Database, config: DatabaseConfig): Promise<() => Promise<number>> {
  if (config.client === 'sqlite') {
    await checkpointSqlite(writer);
    return async () => statSync(`${config.file}-wal`).size;
  }
  const place = async (): Promise<string> =>
    (await writer.raw('select pg_current_wal_lsn() as place')).rows[0].place;
  const start = await place();
  return async () =>
    Number((await writer.raw('select pg_wal_lsn_diff(?, ?) as bytes', [await place(), start])).rows[0].bytes);
}

/** Octets of the pages of each table and of its indexes. */
export async function sizes(database: Database): Promise<ReadonlyMap<string, number>> {
  if (database.client === 'pg') {
    const { rows }: { rows: { name: string; bytes: number }[] } = await database.writer.raw(
      "select relname as name, pg_total_relation_size(oid) as bytes from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
    );
    const found = new Map<string, number>();
    for (const { name, bytes } of rows) {
      const table = name.replace(/_p\d+$/, '');
      found.set(table, (found.get(table) ?? 0) + Number(bytes));
    }
    return found;
  }
  const rows: { name: string; bytes: number }[] = await database.writer.raw(
    'select tbl_name as name, sum(pgsize) as bytes from dbstat join sqlite_schema using (name) group by tbl_name',
  );
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}
