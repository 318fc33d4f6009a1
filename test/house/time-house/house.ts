import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { expect } from 'vitest';
import type { Page } from '../../../src/core/adapter.ts';
import type { MementosConfig, SourceConfig } from '../../../src/core/config/config.ts';
import { parseConfig } from '../../../src/core/config/config.ts';
import { addSeconds, later, toIso } from '../../../src/core/datetime.ts';
import { isBridgeError } from '../../../src/core/errors.ts';
import { covers, type ResourceSet, resourceSets } from '../../../src/core/resource-set.ts';
import { collectionPath, filePath, metadataPath } from '../../../src/core/uris.ts';
import { exportPast, type PastExportReport } from '../../../src/export/past-export.ts';
import { fileRules } from '../../../src/harvest/file-rules.ts';
import { harvest } from '../../../src/harvest/harvest.ts';
import { createLessonBook } from '../../../src/harvest/lessons.ts';
import { followedUpTo } from '../../../src/publish/published/followed-journal.ts';
import { openPublication, type Publication } from '../../../src/publish/published/publication.ts';
import { createPublisher, type PublishOptions } from '../../../src/publish/publisher.ts';
import { createListsInTime, type ListsInTime } from '../../../src/publish/time/lists-in-time.ts';
import { createApp } from '../../../src/server/app.ts';
import { createDocumentPasts } from '../../../src/server/past/document-past.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { saveRemoteFiles } from '../../../src/store/files/remote-file-writing.ts';
import { settle } from '../../../src/store/pages/settle.ts';
import { removeUnreferenced } from '../../../src/store/payloads/unreferenced-blobs.ts';
import { acquireLease, releaseLease } from '../../../src/store/runs/leases.ts';
import { readJournal } from '../../../src/store/sources/journal.ts';
import { onePage } from '../one-page.ts';
import { baseUrl, HandClock, silent } from '../publish/seed.ts';
import { keepContent } from '../store/kept-content.ts';
import { fileUrl, formats, type TimedRecord, TimedRepository } from './repository.ts';
import type { History, Put } from './step.ts';
import { isSameState, type TrueState, Truth, trueState } from './truth.ts';

const never = new AbortController().signal;
const start = '2026-03-01T12:00:00Z';
/** Small, so that lists have parts and Change Lists close. */
const limits = { entries: 3, bytes: 100_000 };
/** However long somebody means to wait: who is told to come again does. */
const patienceMilliseconds = 50;
let houses = 0;

interface Copied {
  readonly content: string;
  readonly lastModified: string | undefined;
}

/** What was published, before it is known by what second of the journal's clock. */
interface Undated {
  readonly states: ReadonlyMap<string, TrueState>;
  /** What the upstream says of when it last changed. */
  readonly stated: ReadonlyMap<string, string | undefined>;
  readonly changed: ReadonlySet<string>;
  readonly now: string;
}

/** One source, harvested, published and served by the real thing, on one clock; and the truth about it. */
export class TimeHouse {
  readonly name: string;
  readonly truth = new Truth();
  readonly app: FastifyInstance;
  readonly mementos: MementosConfig;
  readonly sets: readonly ResourceSet[];
  readonly #database: Database;
  readonly #directory: string;
  readonly #clock = new HandClock(start);
  readonly #config: SourceConfig;
  readonly #repository: TimedRepository;
  readonly #publication: Publication;
  readonly #listsInTime: ListsInTime;
  readonly #copied = new Map<string, Copied>();
  /** Records as they were delivered last. */
  readonly #told = new Map<string, TimedRecord>();
  #latest = start;
  #published: ReadonlyMap<string, TrueState> = new Map();
  readonly #undated: Undated[] = [];
  #datedSeq = 0;

  static async open(database: Database, history: Omit<History, 'rounds'>): Promise<TimeHouse> {
    return new TimeHouse(database, history, await mkdtemp(join(tmpdir(), 'rsbridge-time-')));
  }

  private constructor(database: Database, history: Omit<History, 'rounds'>, directory: string) {
    const { keep, ofDeleted, separately, patches } = history;
    houses += 1;
    this.name = `time${houses}`;
    this.mementos = { links: 'all', keep, ofDeleted };
    this.#database = database;
    this.#directory = directory;
    const source = {
      url: 'http://127.0.0.1:1/oai',
      patches,
      files: { mode: separately ? 'none' : 'mirror' },
      mementos: this.mementos,
      sets: { theses: { collections: ['theses'] } },
    };
    const config = parseConfig({ sources: { [this.name]: source } }).sources[this.name];
    if (config === undefined) throw new Error('the source is not in its own configuration');
    this.#config = config;
    this.sets = resourceSets(this.name, config);
    this.#repository = new TimedRepository(separately);
    this.#publication = openPublication(directory);
    const clock = { now: () => this.#clock.now(), sleep: () => setTimeout(patienceMilliseconds) };
    this.#listsInTime = createListsInTime({ database, directory, baseUrl, clock, log: silent, limits });
    const publication = this.#publication;
    const sets = () => this.sets;
    const listsInTime = this.#listsInTime;
    this.app = createApp({
      ...{ database, publication, directory, baseUrl, clock },
      documentPasts: createDocumentPasts({ database, publication, listsInTime, baseUrl, clock, sets }),
      fileMode: () => config.files.mode,
      mementosOf: () => this.mementos,
      title: 'Example',
      version: '1.0.0',
      robots: true,
      log: { level: 'silent' },
      setsOf: () => this.sets,
      sources: async () => [],
    });
  }

  /** The latest that the clock, or the journal's, has shown. */
  get latest(): string {
    return this.#latest;
  }

  get now(): string {
    return toIso(this.#clock.now());
  }

  wait(seconds: number): void {
    this.#clock.set(addSeconds(this.now, seconds));
    this.#latest = later(this.#latest, this.now);
  }

  /** No second of which anybody knows is going on any more. */
  passAll(): void {
    this.#clock.set(this.#latest);
    this.wait(2);
  }

  put({ record, text, other, collections, hasFile, datestamp }: Put): void {
    const identifier = `oai:house:${record}`;
    const [own, second] = formats;
    const texts = {
      [own]: `<dc>${wholeOf(text)}</dc>`,
      ...(other !== undefined && { [second]: `<mods>${wholeOf(other)}</mods>` }),
    };
    const stated = {
      now: this.now,
      old: '2001-02-03T04:05:06Z',
      future: '2051-01-01T00:00:00Z',
      none: undefined,
    };
    const base = { identifier, collections: [...collections].sort(), texts, hasFile };
    this.#repository.put({ ...base, datestamp: stated[datestamp], deleted: undefined });
  }

  delete(record: string, told: boolean): void {
    const known = this.#repository.records.get(`oai:house:${record}`);
    if (known && known.deleted === undefined) {
      this.#repository.put({ ...known, deleted: told ? 'told' : 'untold', datestamp: this.now });
    }
  }

  async harvest(mode: 'full' | 'incremental', pageSeconds: number): Promise<void> {
    const deps = { database: this.#database, clock: this.#clock, log: silent };
    const adapter = this.#repository;
    adapter.read.length = 0;
    let run = 'incremental';
    await harvest(
      deps,
      { name: this.name, config: this.#config, adapter, lessons: createLessonBook(this.#clock) },
      {
        mode,
        withoutFuse: true,
        stop: never,
        signal: never,
        onProgress: (progress) => {
          run = progress.run.mode;
          this.#publishTruth(this.#met(adapter.read.shift()));
          this.wait(pageSeconds);
        },
      },
    );
    this.#publishTruth(() => run === 'full');
    await this.#dateTruth();
  }

  /** What the job does that mirrors files. */
  async copy(record: string, content: string, dated: boolean): Promise<void> {
    const journal = await readJournal(this.#database.reader, this.name);
    if (!journal || this.#config.files.mode !== 'mirror') return;
    const url = fileUrl(`oai:house:${record}`);
    const lastModified = dated ? '2001-03-04T05:06:07Z' : undefined;
    const { hash, length } = await keepContent(this.#database, this.#directory, content);
    const lease = await acquireLease(this.#database, this.name, this.#clock.now().getTime());
    const facts = {
      mediaType: 'application/pdf',
      contentHash: hash,
      contentLength: length,
      length,
      lastModified,
    };
    await saveRemoteFiles(this.#database, lease.sourceId, [
      { url, outcome: 'confirmed', failures: 0, ...facts },
    ]);
    const now = () => ({ iso: this.now, milliseconds: this.#clock.now().getTime() });
    await settle(this.#database, lease, fileRules(this.#config), now);
    await releaseLease(this.#database, lease);
    this.#copied.set(url, { content, lastModified });
    this.#publishTruth(() => false);
    await this.#dateTruth();
  }

  /** @returns sets that are published */
  async publish(options: PublishOptions): Promise<readonly ResourceSet[]> {
    const publisher = createPublisher({
      ...{ database: this.#database, directory: this.#directory, baseUrl, limits },
      clock: this.#clock,
      log: silent,
      policy: { changeListMinutes: 60 },
    });
    const published: ResourceSet[] = [];
    for (const set of this.sets) {
      try {
        if ((await publisher.publish(set, options)).published) published.push(set);
      } catch (error) {
        if (!isBridgeError(error, 'unknown-collection')) throw error;
      }
    }
    return published;
  }

  /** Removes the bytes that were given up and are due. */
  async tidy(): Promise<void> {
    const journal = await readJournal(this.#database.reader, this.name);
    const place = await followedUpTo(this.#database, this.#directory, this.sets);
    const places = new Map(journal && place !== undefined ? [[journal.sourceId, place]] : []);
    const database = this.#database;
    await removeUnreferenced({ database, directory: this.#directory, followedUpTo: places, now: this.now });
  }

  /** @returns the digests of the resources that are exported, by path */
  async export(at: string): Promise<{ report: PastExportReport; files: ReadonlyMap<string, string> }> {
    const target = await mkdtemp(join(tmpdir(), 'rsbridge-time-export-'));
    try {
      const report = await exportPast({
        ...{ database: this.#database, directory: this.#directory, target, apart: [], baseUrl, at },
        pages: onePage(Buffer.from('a page')),
        fileMode: () => this.#config.files.mode,
        ofDeleted: () => this.mementos.ofDeleted,
        sets: this.sets,
        clock: this.#clock,
        title: 'Example',
        log: silent,
      });
      const entries = await readdir(join(target, this.name), { recursive: true, withFileTypes: true });
      const files = new Map<string, string>();
      for (const entry of entries) {
        const file = join(entry.parentPath, entry.name);
        const path = relative(target, file);
        if (!entry.isFile() || !path.startsWith(`${this.name}/items/`)) continue;
        files.set(
          path,
          `sha-256:${createHash('sha256')
            .update(await readFile(file))
            .digest('hex')}`,
        );
      }
      return { report, files };
    } finally {
      await rm(target, { recursive: true, force: true });
    }
  }

  covers({ filter }: ResourceSet, path: string, { collections }: TrueState): boolean {
    const links = collections.map((spec) => ({ rel: 'collection', href: collectionPath(this.name, spec) }));
    const kind = path.includes('/files/') ? 'file' : 'metadata';
    return covers(filter, { kind, format: '', links }, this.name);
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.#listsInTime.close();
    await rm(this.#directory, { recursive: true, force: true });
  }

  /** What a page speaks of. */
  #met(page: Page | undefined): (path: string) => boolean {
    const met = new Set<string>();
    for (const { identifier, speaksFor } of page?.items ?? []) {
      for (const format of speaksFor.formats) met.add(metadataPath(this.name, identifier, format));
      const record = this.#repository.records.get(identifier);
      if (record) this.#told.set(identifier, record);
    }
    return (path) => met.has(path);
  }

  /** @param isMet metadata of which the repository has spoken; files follow what describes them */
  #publishTruth(isMet: (path: string) => boolean): void {
    const states = new Map<string, TrueState>();
    const stated = new Map<string, string | undefined>();
    for (const { identifier, texts, collections, deleted, datestamp } of this.#repository.records.values()) {
      for (const format of formats) {
        const path = metadataPath(this.name, identifier, format);
        const text = deleted === undefined ? texts[format] : undefined;
        const now = text === undefined ? undefined : trueState(Buffer.from(text), collections);
        const state = isMet(path) ? now : this.#published.get(path);
        if (state) states.set(path, state);
        stated.set(path, datestamp);
      }
    }
    for (const { identifier, hasFile, collections, datestamp } of this.#told.values()) {
      const copied = this.#copied.get(fileUrl(identifier));
      const isDescribed = formats.some((format) => states.has(metadataPath(this.name, identifier, format)));
      if (!hasFile || !copied || !isDescribed) continue;
      const path = filePath(this.name, identifier, 1, 'a.pdf');
      states.set(path, trueState(Buffer.from(copied.content), collections));
      stated.set(path, copied.lastModified ?? datestamp);
    }
    const before = this.#published;
    const changed = [...states.keys(), ...before.keys()].filter(
      (path) => !isSameState(before.get(path), states.get(path)),
    );
    this.#published = states;
    if (changed.length > 0) this.#undated.push({ states, stated, changed: new Set(changed), now: this.now });
  }

  /** When what was published was published is for the journal to say, within reason. */
  async #dateTruth(): Promise<void> {
    const rows: { seq: number; at: string; path: string }[] = await this.#database
      .reader('change')
      .join('resource', 'resource.id', 'change.resource_id')
      .join('source', 'source.id', 'change.source_id')
      .where({ 'source.name': this.name })
      .where('change.seq', '>', this.#datedSeq)
      .orderBy('change.seq')
      .select('change.seq as seq', 'change.at as at', 'resource.path as path');
    for (const { states, stated, changed, now } of this.#undated.splice(0)) {
      const row = rows.find(({ seq, path }) => Number(seq) > this.#datedSeq && changed.has(path));
      if (!row) throw new Error(`the journal does not say that ${[...changed]} changed`);
      expect(row.at >= now && row.at <= addSeconds(this.#latest, 1), `${row.at} at ${now}`).toBe(true);
      this.#datedSeq = Number(row.seq);
      this.#latest = later(this.#latest, row.at);
      this.truth.publish(row.at, states, (path) => stated.get(path));
    }
    this.#datedSeq = Number(rows.at(-1)?.seq ?? this.#datedSeq);
  }
}

const lines = Array.from({ length: 120 }, (_, line) => `<p>line ${line * line} of a long text</p>`);

function wholeOf(text: string): string {
  const [, edit] = /^long (\d)$/.exec(text) ?? [];
  return edit === undefined ? text : lines.with(Number(edit) * 11, `<p>${text}</p>`).join('\n');
}
