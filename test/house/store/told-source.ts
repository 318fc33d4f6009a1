import type { Problem, SourceItem } from '../../../src/core/adapter.ts';
import { addSeconds } from '../../../src/core/datetime.ts';
import type { FileRules } from '../../../src/core/files/published-files.ts';
import { mapItem } from '../../../src/core/mapping/mapping.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { settle } from '../../../src/store/pages/settle.ts';
import { storePage } from '../../../src/store/pages/store-page.ts';
import { acquireLease, type Lease, releaseLease } from '../../../src/store/runs/leases.ts';
import { type Run, type RunKind, startRun } from '../../../src/store/runs/runs.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';

const proxied: FileRules = { mode: 'proxy', perItem: 100, verify: false, landingPages: false };

/** What a test tells of one item; the rest is as it mostly is. */
export interface ToldItem {
  /** Content by format. */
  readonly formats?: Readonly<Record<string, string>>;
  readonly collections?: readonly string[];
  /** URLs; `untold`: the delivery does not speak for them. */
  readonly files?: readonly string[] | 'untold';
  readonly deleted?: boolean;
  /** It is there, and not for everybody. */
  readonly refused?: boolean;
  /** Where its metadata is at the repository. */
  readonly at?: string;
}

/** One source whose pages a test tells, by a clock that goes a minute on with each of them. */
export class ToldSource {
  readonly database: Database;
  readonly name: string;
  readonly lease: Lease;
  now: string;

  constructor(database: Database, name: string, lease: Lease, now: string) {
    this.database = database;
    this.name = name;
    this.lease = lease;
    this.now = now;
  }

  static async open(database: Database, name: string, now = '2026-11-21T10:00:00Z'): Promise<ToldSource> {
    await ensureSource(database, name, now);
    return new ToldSource(database, name, await acquireLease(database, name, Date.parse(now)), now);
  }

  get id(): number {
    return this.lease.sourceId;
  }

  readonly moment = () => ({ iso: this.now, milliseconds: Date.parse(this.now) });

  close = () => releaseLease(this.database, this.lease);

  async begin<Kind extends RunKind>(mode: Kind): Promise<Run<Kind>> {
    this.now = addSeconds(this.now, 60);
    const { database, id, now } = this;
    const run = { sourceId: id, mode, selection: '{}', since: undefined, startedAt: now };
    return startRun(database.writer, run);
  }

  /** One page, as a run of its own. */
  async tell(
    items: Readonly<Record<string, ToldItem>>,
    mode: 'full' | 'incremental' = 'incremental',
    problems: readonly Problem[] = [],
  ): Promise<Run> {
    const run = await this.begin(mode);
    const mapped = Object.entries(items).map(([identifier, told]) =>
      mapItem(this.name, this.#item(identifier, told)),
    );
    const page = { items: mapped, problems, checkpoint: undefined, files: proxied };
    await storePage(this.database, this.lease, run, page, this.moment());
    await settle(this.database, this.lease, proxied, this.moment);
    return run;
  }

  /** Paths of what is published, without the part that all have. */
  async living(): Promise<string[]> {
    const rows: { path: string }[] = await this.database
      .reader('resource')
      .where({ source_id: this.id })
      .whereNull('deleted_at')
      .orderBy('path')
      .select('path');
    return rows.map(({ path }) => path.replace(`${this.name}/items/`, ''));
  }

  #item(identifier: string, told: ToldItem): SourceItem {
    const { formats = { oai_dc: identifier }, collections = [], files = [], refused = false, at } = told;
    const { deleted = refused } = told;
    return {
      identifier,
      datestamp: this.now,
      collections,
      speaksFor: {
        formats: Object.keys(formats),
        files: files === 'untold' ? undefined : { name: 'oai_dc', rank: 1 },
      },
      deleted,
      ...(refused && { refused }),
      metadata: Object.entries(deleted ? {} : formats).map(([format, text]) => ({
        format,
        content: Buffer.from(`<record>${text}</record>`),
        profile: 'http://example.org/',
        ...(at === undefined ? {} : { upstreamUrl: at }),
      })),
      files: (files === 'untold' ? [] : files).map((url, index) => ({
        url,
        name: 'a.pdf',
        sequence: index + 1,
      })),
    };
  }
}
