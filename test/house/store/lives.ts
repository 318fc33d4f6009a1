import type { SourceItem } from '../../../src/core/adapter.ts';
import { addSeconds } from '../../../src/core/datetime.ts';
import { mapItem } from '../../../src/core/mapping/mapping.ts';
import { metadataPath } from '../../../src/core/uris.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { storePage } from '../../../src/store/pages/store-page.ts';
import { acquireLease, type Lease, releaseLease } from '../../../src/store/runs/leases.ts';
import { startRun } from '../../../src/store/runs/runs.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';

/** Texts that differ in a word, as versions of a record do. */
export function contentOf(number: number, kin = ''): string {
  const words = Array.from({ length: 60 }, (_, index) => `<dc:subject>word ${index * 7919}</dc:subject>`);
  return `<dc xmlns:dc="urn:dc">${words.join('')}<dc:title>${number}</dc:title>${kin}</dc>`;
}

/** One source of records that change when a test says so, by a clock that stands still in between. */
export class Lives {
  readonly database: Database;
  readonly source: string;
  readonly lease: Lease;
  /** Others of the same kin have the same contents. */
  readonly kin: string;
  now: string;
  /** Whether updates have patches. */
  patches = false;

  constructor(database: Database, source: string, lease: Lease, kin: string, now: string) {
    this.database = database;
    this.source = source;
    this.lease = lease;
    this.kin = kin;
    this.now = now;
  }

  static async begin(database: Database, source: string, now: string, kin = source): Promise<Lives> {
    await ensureSource(database, source, now);
    const lease = await acquireLease(database, source, Date.parse(now));
    return new Lives(database, source, lease, kin, now);
  }

  /** Somebody else may go on with the source. */
  end(): Promise<unknown> {
    return releaseLease(this.database, this.lease);
  }

  readonly clock = () => ({ iso: this.now, milliseconds: Date.parse(this.now) });

  pass(seconds: number): void {
    this.now = addSeconds(this.now, seconds);
  }

  pathOf(record: number): string {
    return metadataPath(this.source, `oai:x:${record}`, 'oai_dc');
  }

  /** @param contents by record; undefined: it is deleted */
  async store(contents: Readonly<Record<number, number | undefined>>): Promise<void> {
    const items = Object.entries(contents).map(([record, content]) =>
      mapItem(this.source, this.#item(record, content)),
    );
    const page = { items, problems: [], checkpoint: undefined, patches: this.patches };
    const { sourceId } = this.lease;
    const started = { sourceId, mode: 'incremental', selection: '{}', since: undefined } as const;
    // The same record twice in one run would be a repetition (quirk 68).
    const run = await startRun(this.database.writer, { ...started, startedAt: this.now });
    await storePage(this.database, this.lease, run, page, this.clock());
  }

  #item(record: string, content: number | undefined): SourceItem {
    const profile = 'http://example.org/';
    return {
      identifier: `oai:x:${record}`,
      datestamp: this.now,
      collections: [],
      speaksFor: { formats: ['oai_dc'], files: undefined },
      deleted: content === undefined,
      metadata:
        content === undefined
          ? []
          : [{ format: 'oai_dc', content: Buffer.from(contentOf(content, this.kin)), profile }],
      files: [],
    };
  }
}
