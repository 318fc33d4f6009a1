import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { vi } from 'vitest';
import type { RepositoryInfo } from '../../../src/core/adapter.ts';
import { addSeconds } from '../../../src/core/datetime.ts';
import { type FileRules, noFiles } from '../../../src/core/files/published-files.ts';
import { mapItem } from '../../../src/core/mapping/mapping.ts';
import { resourceSets } from '../../../src/core/resource-set.ts';
import { createApp } from '../../../src/server/app.ts';
import type { OaiOffer, ServerDeps } from '../../../src/server/deps.ts';
import { storeCollections } from '../../../src/store/changes/item-writing.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { saveRemoteFiles } from '../../../src/store/files/remote-file-writing.ts';
import type { RemoteFile } from '../../../src/store/files/remote-files.ts';
import { orderOwnSets, ownSetsAreDue } from '../../../src/store/oai/own-set-order.ts';
import { orderRecords, readOrdered } from '../../../src/store/oai/record-order.ts';
import { settle } from '../../../src/store/pages/settle.ts';
import { storePage } from '../../../src/store/pages/store-page.ts';
import { enforceWithdrawals } from '../../../src/store/removal/withdrawals.ts';
import { acquireLease, type Lease, releaseLease } from '../../../src/store/runs/leases.ts';
import { startRun } from '../../../src/store/runs/runs.ts';
import { completePass, ensureSource, saveInfo } from '../../../src/store/sources/sources.ts';
import { type LogLine, StagedPublication } from './fixture.ts';

/** A record as a test tells it. */
export interface ToldRecord {
  readonly title?: string;
  readonly collections?: readonly string[];
  readonly formats?: readonly string[];
  readonly deleted?: boolean;
  /** Instead of a record in Dublin Core. */
  readonly content?: string;
  /** Files that the repository names (`fileAt`); default: it says nothing of files. */
  readonly files?: readonly string[];
}

export const baseUrl = 'https://bridge.example.org/rs';
let sources = 0;

const dc = 'http://www.openarchives.org/OAI/2.0/oai_dc/';
export const formatsOfHouse = [
  { name: 'oai_dc', namespace: dc, schema: 'http://www.openarchives.org/OAI/2.0/oai_dc.xsd' },
  { name: 'simple', namespace: dc, schema: 'http://www.openarchives.org/OAI/2.0/oai_dc.xsd' },
].map((format) => ({ ...format, selected: true, offered: true }));

export const infoOfHouse: RepositoryInfo = {
  name: 'Kyushu Repository & more',
  protocol: 'OAI-PMH',
  protocolVersion: '2.0',
  baseUrl: 'https://repo.example.org/oai',
  deletedRecords: 'transient',
  granularity: 'day',
  formats: formatsOfHouse,
};

/** A record in Dublin Core; a title is XML. */
export function dublinCore(title: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<!-- as it came -->\n<oai_dc:dc xmlns:oai_dc="${dc}" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${title}</dc:title></oai_dc:dc>\n`;
}

/** Where the repository has a file. */
export function fileAt(name: string): string {
  return `https://repo.example.org/bitstream/${name}`;
}

/** A source that answers OAI-PMH, whose records a test tells by a clock that it holds. */
export class OaiHouse {
  readonly app: FastifyInstance;
  readonly source: string;
  readonly database: Database;
  readonly log: LogLine[] = [];
  #lease: Lease;
  readonly #directory: string;
  readonly #clock: { now: string };
  files: FileRules = noFiles;
  offer: OaiOffer | undefined = {
    adminEmail: 'admin@bridge.example.org',
    namespace: 'repo.example.org',
    friends: [],
  };

  static async open(database: Database, overrides: Partial<ServerDeps> = {}): Promise<OaiHouse> {
    sources += 1;
    const source = `oai${sources}`;
    const clock = { now: '2026-11-21T10:00:00Z' };
    await ensureSource(database, source, clock.now);
    const lease = await acquireLease(database, source, Date.parse(clock.now));
    await saveInfo(database.writer, lease.sourceId, infoOfHouse);
    const directory = await mkdtemp(join(tmpdir(), 'rsbridge-oai-'));
    return new OaiHouse(database, source, lease, directory, clock, overrides);
  }

  private constructor(
    database: Database,
    source: string,
    lease: Lease,
    directory: string,
    clock: { now: string },
    overrides: Partial<ServerDeps>,
  ) {
    this.database = database;
    this.source = source;
    this.#lease = lease;
    this.#directory = directory;
    this.#clock = clock;
    this.app = createApp({
      database,
      publication: new StagedPublication(directory),
      directory,
      fileMode: () => this.files.mode,
      baseUrl,
      title: 'University of Example',
      version: '1.2.3',
      robots: true,
      clock: { now: () => new Date(clock.now) },
      log: pino({ level: 'debug' }, { write: (line: string) => this.log.push(JSON.parse(line) as LogLine) }),
      setsOf: (name, title) => resourceSets(name, { title }),
      sources: async () => [],
      oai: (name) => (name === source ? this.offer : undefined),
      ...overrides,
    });
  }

  get sourceId(): number {
    return this.#lease.sourceId;
  }

  get now(): string {
    return this.#clock.now;
  }

  pass(seconds: number): void {
    this.#clock.now = addSeconds(this.#clock.now, seconds);
  }

  name(collections: Readonly<Record<string, string>>): Promise<void> {
    const named = Object.entries(collections).map(([spec, name]) => ({ spec, name }));
    return storeCollections(this.database, this.sourceId, named);
  }

  /** Writes again, where a process beside had the source meanwhile. */
  async takeBack(): Promise<void> {
    const taken = () => acquireLease(this.database, this.source, Date.now());
    this.#lease = await vi.waitFor(taken, { timeout: 30_000, interval: 100 });
  }

  /** The first harvest of everything has ended. */
  complete(): Promise<void> {
    const pass = { asOf: this.now, fullAt: this.now, selection: '{}' };
    return completePass(this.database.writer, this.sourceId, pass);
  }

  /** One page of records, as a run of its own. */
  async tell(records: Readonly<Record<string, ToldRecord>>): Promise<void> {
    const { database, sourceId, now } = this;
    const begun = {
      sourceId,
      mode: 'incremental',
      selection: '{}',
      since: undefined,
      startedAt: now,
    } as const;
    const run = await startRun(database.writer, begun);
    const items = Object.entries(records).map(([identifier, told]) => {
      const {
        title = identifier,
        collections = [],
        formats = ['oai_dc'],
        deleted = false,
        content,
        files,
      } = told;
      const bytes = Buffer.from(content ?? dublinCore(title.replace(/[&<>]/g, '-')));
      return mapItem(this.source, {
        identifier,
        datestamp: '2019-04-01T09:00:00Z',
        collections,
        speaksFor: { formats, files: files && { name: 'xoai', rank: 0 } },
        deleted,
        metadata: deleted
          ? []
          : formats.map((format) => ({
              format,
              content: format === 'json' ? Buffer.from('{}') : bytes,
              profile: dc,
              ...(format === 'json' && { mediaType: 'application/json' }),
            })),
        files: (files ?? []).map((name, index) => ({ url: fileAt(name), name, sequence: index + 1 })),
      });
    });
    const page = { items, problems: [], checkpoint: undefined, files: this.files };
    await storePage(database, this.#lease, run, page, this.#moment());
  }

  /** The server of a file answers, and what follows from it is published. Default: everybody may read it. */
  async see(name: string, facts: Partial<RemoteFile> = {}): Promise<void> {
    const seen = { url: fileAt(name), outcome: 'confirmed', failures: 0, checkedAt: this.now } as const;
    await saveRemoteFiles(this.database, this.sourceId, [{ ...seen, ...facts }]);
    await this.settle();
  }

  /** Follows what was withdrawn, and what became known. */
  async settle(): Promise<void> {
    await enforceWithdrawals(this.database, this.#lease, this.#moment());
    await settle(this.database, this.#lease, this.files, () => this.#moment());
  }

  #moment() {
    return { iso: this.now, milliseconds: Date.parse(this.now) };
  }

  /** What a bridge does beside answering. @param steps at most; default: all of them */
  async order(steps = Number.POSITIVE_INFINITY): Promise<void> {
    for (let step = 0; step < steps; step += 1) {
      const own = (await readOrdered(this.database.reader)).find(({ source }) => source === this.source);
      if (!own) return;
      const sets = this.offer?.sets ?? [];
      if (own.seq < own.journalSeq) await orderRecords(this.database, own);
      else if (ownSetsAreDue(own, sets)) await orderOwnSets(this.database, own.sourceId, sets, own.seq);
      else return;
    }
  }

  /** @param query a text as it stands in a URL, or arguments */
  async ask(query: string | Readonly<Record<string, string>>): Promise<string> {
    const text = typeof query === 'string' ? query : new URLSearchParams(query).toString();
    const answer = await this.app.inject(`/${this.source}/oai?${text}`);
    if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${answer.body}`);
    return answer.body;
  }

  async post(form: string, type = 'application/x-www-form-urlencoded'): Promise<string> {
    const url = `/${this.source}/oai`;
    const answer = await this.app.inject({
      method: 'POST',
      url,
      payload: form,
      headers: { 'content-type': type },
    });
    return answer.body;
  }

  /** All pages of a list. */
  async walk(
    query: Readonly<Record<string, string>>,
    between: () => Promise<void> = async () => {},
  ): Promise<string[]> {
    const pages = [await this.ask(query)];
    for (;;) {
      const token = tokenIn(pages.at(-1) ?? '');
      if (!token) return pages;
      await between();
      pages.push(await this.ask({ verb: query.verb ?? '', resumptionToken: token }));
    }
  }

  async close(): Promise<void> {
    await this.app.close();
    await releaseLease(this.database, this.#lease);
    await rm(this.#directory, { recursive: true, force: true });
  }
}

/** Empty: the list ends with this page; undefined: it has one page. */
export function tokenIn(page: string): string | undefined {
  return /<resumptionToken[^>]*>([^<]*)<\/resumptionToken>/.exec(page)?.[1];
}

export function errorsIn(page: string): string[] {
  return [...page.matchAll(/<error code="(\w+)">[^<]+<\/error>/g)].map(([, code = '']) => code);
}

/** What headers say: `identifier datestamp`, and ` deleted`. */
export function headersIn(page: string): string[] {
  const headers =
    /<header( status="deleted")?><identifier>([^<]*)<\/identifier><datestamp>([^<]*)<\/datestamp>/g;
  return [...page.matchAll(headers)].map(
    ([, deleted, identifier, at]) => `${identifier} ${at}${deleted ? ' deleted' : ''}`,
  );
}

export function identifiersIn(page: string): string[] {
  return headersIn(page).map((header) => header.split(' ', 1)[0] ?? '');
}
