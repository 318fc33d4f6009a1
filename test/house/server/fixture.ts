import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import type { Link } from '../../../src/core/resource.ts';
import { resourceSets } from '../../../src/core/resource-set.ts';
import { toSegment } from '../../../src/core/segment.ts';
import type {
  Publication,
  PublishedDocument,
  PublishedSet,
  Variant,
} from '../../../src/publish/published/publication.ts';
import { createApp } from '../../../src/server/app.ts';
import type { ServerDeps, SourceOverview } from '../../../src/server/deps.ts';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { packBlob } from '../../../src/store/payloads/blobs.ts';
import { placeMigrated } from '../store/databases.ts';

/** A house with a real database, real files and a real socket; only harvesting and publishing are staged. */
export interface House {
  /** Where its large contents are. */
  readonly directory: string;
  readonly app: FastifyInstance;
  readonly database: Database;
  readonly publication: StagedPublication;
  readonly sources: SourceOverview[];
  readonly log: LogLine[];
  /** `http://127.0.0.1:…`, listening from the first use on. */
  origin(): Promise<string>;
  close(): Promise<void>;
}

export type LogLine = Readonly<Record<string, unknown>>;

export const now = '2026-11-21T12:00:00Z';

export async function openHouse(overrides: Partial<ServerDeps> = {}): Promise<House> {
  const directory = await mkdtemp(join(tmpdir(), 'rsbridge-server-'));
  const database = openDatabase({ client: 'sqlite', file: placeMigrated(join(directory, 'house.db')) });
  const publication = new StagedPublication(directory);
  const sources: SourceOverview[] = [];
  const log: LogLine[] = [];
  const app = createApp({
    database,
    publication,
    directory,
    fileMode: () => 'mirror',
    baseUrl: 'https://bridge.example.org/rs',
    title: 'University of Example',
    version: '1.2.3',
    robots: true,
    clock: { now: () => new Date(now) },
    log: pino({ level: 'debug' }, { write: (line: string) => log.push(JSON.parse(line) as LogLine) }),
    setsOf: (source, title) => resourceSets(source, { title }),
    // Who looks again gets another answer.
    sources: async () => [...sources],
    ...overrides,
  });
  let listening: Promise<string> | undefined;
  return {
    directory,
    app,
    database,
    publication,
    sources,
    log,
    origin: () => {
      listening ??= app.listen({ host: '127.0.0.1', port: 0 });
      return listening;
    },
    close: async () => {
      await app.close();
      await database.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** The publication's contract over files in a directory; it knows how many of them are open. */
export class StagedPublication implements Publication {
  readonly documents = new Map<string, PublishedDocument>();
  readonly published: PublishedSet[] = [];
  readonly #directory: string;
  /** Now, and ever. */
  openFiles = 0;
  opened = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async find(path: string): Promise<PublishedDocument | undefined> {
    return this.documents.get(path);
  }

  async former(): Promise<readonly PublishedDocument[]> {
    return [];
  }

  async sets(): Promise<readonly PublishedSet[]> {
    return [...this.published];
  }

  async set(path: string): Promise<PublishedSet | undefined> {
    return this.published.find((set) => set.path === path);
  }

  async stage(
    path: string,
    content: string | Buffer,
    facts: { immutable?: boolean; lastModified?: string } = {},
  ) {
    const { immutable = false, lastModified = '2026-11-21T11:57:00Z' } = facts;
    const bytes = Buffer.from(content);
    const plain = await this.#variant(`${path}.plain`, bytes);
    const gzip = await this.#variant(`${path}.gz`, gzipSync(bytes));
    this.documents.set(path, { path, mediaType: 'application/xml', lastModified, immutable, plain, gzip });
  }

  async #variant(path: string, bytes: Buffer): Promise<Variant> {
    const file = join(this.#directory, path.replaceAll('/', '!'));
    await writeFile(file, bytes);
    return {
      length: bytes.byteLength,
      etag: `"${createHash('sha256').update(bytes).digest('hex').slice(0, 20)}"`,
      open: (start, end) => this.#open(file, start, end),
    };
  }

  #open(file: string, start: number, end: number): Readable {
    this.openFiles += 1;
    this.opened += 1;
    const stream = createReadStream(file, { start, end: end - 1 });
    stream.once('close', () => {
      this.openFiles -= 1;
    });
    return stream;
  }
}

export interface SeededResource {
  readonly identifier?: string;
  readonly content?: string;
  readonly lastmod?: string;
  readonly links?: readonly Link[];
  readonly deletedAt?: string;
  readonly collections?: readonly string[];
  readonly format?: string;
  readonly kind?: 'metadata' | 'file';
  /** Of a file: the last segment of its address. */
  readonly name?: string;
  /** Instead of what its content has; null: nothing is known. */
  readonly mediaType?: string | null;
  readonly length?: number | null;
  readonly hash?: string | null;
  readonly upstreamUrl?: string;
  readonly landingPage?: string;
  /** False: its content is not kept in the database. */
  readonly keep?: boolean;
}

/** One item of the source `kyushu` in one format. @returns its path and its bytes */
export async function seedResource(
  { writer }: Database,
  seeded: SeededResource = {},
): Promise<{ path: string; content: Buffer; digest: string }> {
  const { identifier = 'oai:repo.example.org:1', format = 'oai_dc', kind = 'metadata', deletedAt } = seeded;
  const { name = '1-a.pdf', keep = true } = seeded;
  const content = Buffer.from(seeded.content ?? `<dc xmlns="urn:dc">${identifier}</dc>`);
  const digest = createHash('sha256').update(content).digest('hex');
  const path = `kyushu/items/${toSegment(identifier)}/${kind === 'file' ? `files/${name}` : `${format}${seeded.mediaType === 'application/json' ? '.json' : '.xml'}`}`;
  const source = await idOf(writer, 'source', { name: 'kyushu' }, { journal_at: now });
  const item = await idOf(writer, 'item', { source_id: source, identifier });
  for (const spec of seeded.collections ?? []) {
    const collection = await idOf(
      writer,
      'collection',
      { source_id: source, spec },
      { name: `Collection ${spec}` },
    );
    await writer('item_collection')
      .insert({ source_id: source, item_id: item, collection_id: collection })
      .onConflict()
      .ignore();
  }
  await writer('resource').insert({
    source_id: source,
    item_id: item,
    path,
    kind,
    format,
    media_type: seeded.mediaType === undefined ? 'application/xml' : seeded.mediaType,
    length: seeded.length === undefined ? content.byteLength : seeded.length,
    hash: seeded.hash === undefined ? `sha-256:${digest}` : seeded.hash,
    upstream_url: seeded.upstreamUrl ?? null,
    landing_page: seeded.landingPage ?? null,
    lastmod: seeded.lastmod ?? '2026-11-20T08:00:00Z',
    links: JSON.stringify(seeded.links ?? []),
    last_seq: 1,
    version_count: 1,
    deleted_at: deletedAt ?? null,
  });
  const blob = packBlob(`sha-256:${digest}`, content);
  if (keep) await writer('blob').insert(blob).onConflict('hash').ignore();
  return { path, content, digest };
}

async function idOf(
  writer: Database['writer'],
  table: string,
  key: Readonly<Record<string, string | number>>,
  rest: Readonly<Record<string, string>> = {},
): Promise<number> {
  await writer(table)
    .insert({ ...key, ...rest })
    .onConflict(Object.keys(key))
    .ignore();
  const row: { id: number } | undefined = await writer(table).select('id').where(key).first();
  if (!row) throw new Error(`no row in ${table}`);
  return row.id;
}

/** One published set `kyushu` with its usual documents, without bytes. */
export function publishedSet(path = 'kyushu'): PublishedSet {
  const document = (name: string, capability: string, facts: object) => ({
    path: `${path}/${name}`,
    capability,
    entries: 2,
    bytes: 1234,
    lastModified: '2026-11-21T11:57:00Z',
    ...facts,
  });
  return {
    path,
    documents: [
      document('capabilitylist.xml', 'capabilitylist', {}),
      document('resourcelist.xml', 'resourcelist', { entries: 6902, at: '2026-11-21T02:30:00Z' }),
      document('resourcelist/20261121T023000Z/0001.xml', 'resourcelist', { at: '2026-11-21T02:30:00Z' }),
      document('changelist-index.xml', 'changelist', { from: '2026-11-01T00:00:00Z' }),
      document('changelist.xml', 'changelist', { from: '2026-11-01T00:00:00Z' }),
      document('changelist/20261101T000000Z.xml', 'changelist', {
        from: '2026-11-01T00:00:00Z',
        until: '2026-11-02T00:00:00Z',
      }),
    ],
  };
}

export function sourceOverview(overrides: Partial<SourceOverview> = {}): SourceOverview {
  return {
    name: 'kyushu',
    title: 'Kyushu Repository',
    state: 'waits for its next run',
    healthy: true,
    lastSuccessAt: '2026-11-21T11:57:00Z',
    lastRunAt: '2026-11-21T11:57:00Z',
    nextRunAt: '2026-11-21T12:12:00Z',
    items: 2418,
    resources: 6902,
    recentChanges: 311,
    ...overrides,
  };
}

/** Sends bytes as they are, which no HTTP client would, and reads until the server closes. */
export function exchange(origin: string, bytes: string, ...more: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    const rest = [...more];
    let answer = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      answer += chunk;
      const next = /\r\nConnection: close\r\n/.test(answer) ? undefined : rest.shift();
      if (next !== undefined) socket.write(next, 'latin1');
    });
    socket.once('close', () => resolve(answer));
    socket.once('error', reject);
    socket.write(bytes, 'latin1');
  });
}

/** The headers that do not depend on when, and over which connection, they were asked for. */
export function lasting(headers: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { date, connection, 'keep-alive': keepAlive, ...rest } = headers;
  return rest;
}
