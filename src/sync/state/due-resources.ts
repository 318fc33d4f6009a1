import { addSeconds } from '../../core/datetime.ts';
import {
  type StatedChange,
  type StatedLink,
  type Statement,
  statedLinks,
} from '../../resourcesync/reading/statement.ts';
import type { CopyDatabase } from './copy-database.ts';

/** What is kept of a statement. */
export type StatedResource = Pick<
  Statement,
  'loc' | 'change' | 'lastmod' | 'hashes' | 'length' | 'type' | 'links' | 'unreadLinks'
>;

/**
 * A resource whose bytes are wanted, as the newest statement has it. Its links are read anew each time: they are the most of
 * what is said of it, and seldom asked for.
 */
export interface DueResource extends StatedResource {
  /** Undefined: it has no row yet, for its bytes are about to come. */
  readonly id: number | undefined;
  readonly asOf: string;
  /** False: none of its links has this relation. */
  mayLinkTo(relation: string): boolean;
  /** In a row. */
  readonly failures: number;
  /** It may be in the copy already, while somebody has not been told of it. */
  readonly isUntold: boolean;
}

export interface FailedResource {
  readonly loc: string;
  readonly failures: number;
  readonly nextTry: string | undefined;
  readonly reason: string;
}

/** What keeps resources out of the copy, and is mended here. */
export interface Obstacle {
  readonly reason: string;
  /** Resources that it keeps out. */
  readonly count: number;
  /** The earliest; undefined: in the next run. */
  readonly nextTry: string | undefined;
}

/** Reasons that begin with it are of the copy, and not of one resource. */
export const ofCopy = 'in the copy: ';
/** In place of a reason. */
const untold = 'not told';

interface Row {
  readonly id: number;
  readonly loc: string;
  readonly change: StatedChange | null;
  readonly as_of: string;
  readonly lastmod: string | null;
  readonly hashes: string | null;
  readonly length: number | null;
  readonly type: string | null;
  readonly links: string | null;
  readonly failures: number;
  readonly reason: string | null;
}

/** The same of what has no row: its bytes are about to come. */
export class PassingResource implements DueResource {
  readonly id = undefined;
  readonly failures = 0;
  readonly isUntold = false;
  readonly loc: string;
  readonly change: StatedChange | undefined;
  readonly asOf: string;
  readonly lastmod: string | undefined;
  readonly hashes: readonly string[];
  readonly length: number | undefined;
  readonly type: string | undefined;
  readonly unreadLinks: string | undefined;
  readonly #links: readonly StatedLink[] | undefined;

  constructor(stated: StatedResource, asOf: string) {
    const { unreadLinks } = stated;
    this.loc = stated.loc;
    this.change = stated.change;
    this.asOf = asOf;
    this.lastmod = stated.lastmod;
    this.hashes = stated.hashes;
    this.length = stated.length;
    this.type = stated.type;
    this.unreadLinks = unreadLinks;
    this.#links = unreadLinks === undefined ? stated.links : undefined;
  }

  get links(): readonly StatedLink[] {
    return this.#links ?? statedLinks(this.unreadLinks ?? '');
  }

  mayLinkTo(relation: string): boolean {
    const { unreadLinks } = this;
    if (unreadLinks !== undefined) return unreadLinks.includes(` rel="${relation}"`);
    return this.links.some(({ rel }) => rel === relation);
  }

  /** Links that nobody has read are written as they are. */
  toJSON(): object {
    const { loc, change, asOf, lastmod, hashes, length, type, unreadLinks } = this;
    return { loc, change, asOf, lastmod, hashes, length, type, unreadLinks, links: this.#links };
  }
}

/** Failures after which every run tries again; then pauses grow. */
const freeFailures = 2;
const firstPauseSeconds = 600;
const longestPauseSeconds = 86_400;

/** What has to be fetched. It is kept, so that the cursor need not wait for it. */
export class DueResources {
  readonly #database: CopyDatabase;

  constructor(database: CopyDatabase) {
    this.#database = database;
  }

  /** A newer statement takes the place of an older one, and is tried at once; of one list the state that was written later. */
  add({ loc, change, lastmod, hashes, length, type, links }: StatedResource, asOf: string): void {
    this.#database.write(
      `insert into due (loc, change, as_of, lastmod, hashes, length, type, links) values (?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (loc) do update set
         failures = case when as_of = excluded.as_of then failures else 0 end,
         next_try = case when as_of = excluded.as_of then next_try end,
         change = excluded.change, as_of = excluded.as_of, lastmod = excluded.lastmod, hashes = excluded.hashes,
         length = excluded.length, type = excluded.type, links = excluded.links
       where excluded.as_of > due.as_of
         or (excluded.as_of = due.as_of and coalesce(excluded.lastmod < due.lastmod, 0) = 0)`,
      ...[loc, change, asOf, lastmod, hashes.length === 0 ? undefined : hashes.join(' '), length, type],
      links.length === 0 ? undefined : JSON.stringify(links),
    );
  }

  /** @param upTo what is stated later stays */
  drop(loc: string, upTo: string): void {
    this.#database.write('delete from due where loc = ? and as_of <= ?', loc, upTo);
  }

  /** What no complete list of that moment has is not there to be fetched any more. */
  dropOlder(asOf: string): void {
    this.#database.write('delete from due where as_of < ?', asOf);
  }

  find(loc: string): DueResource | undefined {
    const row = this.#database.get<Row>('select * from due where loc = ?', loc);
    return row && toDue(row);
  }

  count(): number {
    return this.#database.get<{ n: number }>('select count(*) as n from due')?.n ?? 0;
  }

  highestId(): number {
    return this.#database.get<{ n: number | null }>('select max(id) as n from due')?.n ?? 0;
  }

  /** How many, of how many a length is stated, and what those come to. */
  sum(): { readonly count: number; readonly stated: number; readonly octets: number } {
    const sql = 'select count(*) as n, count(length) as stated, coalesce(sum(length), 0) as octets from due';
    const row = this.#database.get<{ n: number; stated: number; octets: number }>(sql);
    return { count: row?.n ?? 0, stated: row?.stated ?? 0, octets: row?.octets ?? 0 };
  }

  /** Since when the oldest of them is so. */
  oldest(): string | undefined {
    return this.#database.get<{ n: string | null }>('select min(as_of) as n from due')?.n ?? undefined;
  }

  /** Those behind an id that may be tried now, in the order in which they became due. */
  after(id: number, now: string): readonly DueResource[] {
    const sql =
      'select * from due where id > ? and (next_try is null or next_try <= ?) order by id limit 500';
    return this.#database.all<Row>(sql, id, now).map(toDue);
  }

  /** Those behind an id, whether they may be tried or not. */
  all(id: number): readonly DueResource[] {
    return this.#database.all<Row>('select * from due where id > ? order by id limit 500', id).map(toDue);
  }

  /** What was about to come did not: it has a row from now on. */
  left(resource: DueResource): void {
    if (resource.id === undefined) this.add(resource, resource.asOf);
  }

  /** A statement that came meanwhile keeps its place. */
  done({ id, asOf }: DueResource): void {
    if (id === undefined) return;
    this.#database.write('delete from due where id = ? and as_of = ?', id, asOf);
  }

  /** It is in the copy from now on, and somebody is about to be told of it. */
  untold({ id }: DueResource): void {
    if (id !== undefined) this.#database.write('update due set reason = ? where id = ?', untold, id);
  }

  /** Of what was due before a kill nobody knows whether it was told. */
  allUntold(): void {
    this.#database.write('update due set reason = ? where reason is null', untold);
  }

  failed(resource: DueResource, reason: string, now: string): void {
    this.left(resource);
    const { loc, failures } = resource;
    // Somebody here may mend it at any time.
    const longest = reason.startsWith(ofCopy) ? firstPauseSeconds : longestPauseSeconds;
    const pause = Math.min(longest, firstPauseSeconds * 2 ** (failures - freeFailures));
    const nextTry = failures < freeFailures ? undefined : addSeconds(now, pause);
    const sql = 'update due set failures = failures + 1, next_try = ?, reason = ? where loc = ?';
    this.#database.write(sql, nextTry, reason, loc);
  }

  countFailed(): number {
    return this.#database.get<{ n: number }>('select count(*) as n from due where failures > 0')?.n ?? 0;
  }

  /** Each once, that of most resources first. */
  obstacles(limit: number): readonly Obstacle[] {
    const sql = `select reason, count(*) as n, min(coalesce(next_try, '')) as next_try from due
      where failures > 0 and substr(reason, 1, ?) = ? group by reason order by n desc, reason limit ?`;
    return this.#database
      .all<{ reason: string; n: number; next_try: string }>(sql, ofCopy.length, ofCopy, limit)
      .map(({ reason, n, next_try: nextTry }) => ({ reason, count: n, nextTry: nextTry || undefined }));
  }

  /** Those that failed most often first, but for what an obstacle keeps out. */
  failures(limit: number): readonly FailedResource[] {
    return this.#database
      .all<{ loc: string; failures: number; next_try: string | null; reason: string | null }>(
        `select loc, failures, next_try, reason from due
         where failures > 0 and substr(coalesce(reason, ''), 1, ?) <> ? order by failures desc, id limit ?`,
        ...[ofCopy.length, ofCopy, limit],
      )
      .map(({ loc, failures, next_try: nextTry, reason }) => ({
        ...{ loc, failures, nextTry: nextTry ?? undefined, reason: reason ?? '' },
      }));
  }
}

/** Of two that one list has of a resource; where one of them says nothing of its time, the order of the list counts. */
export function isEarlierState(
  one: Pick<StatedResource, 'lastmod'>,
  other: Pick<StatedResource, 'lastmod'>,
): boolean {
  return one.lastmod !== undefined && other.lastmod !== undefined && one.lastmod < other.lastmod;
}

function toDue(row: Row): DueResource {
  return {
    id: row.id,
    loc: row.loc,
    change: row.change ?? undefined,
    asOf: row.as_of,
    lastmod: row.lastmod ?? undefined,
    hashes: row.hashes?.split(' ') ?? [],
    length: row.length ?? undefined,
    type: row.type ?? undefined,
    get links() {
      return row.links === null ? [] : (JSON.parse(row.links) as StatedLink[]);
    },
    mayLinkTo: (relation) => row.links?.includes(JSON.stringify(relation)) === true,
    failures: row.failures,
    // What somebody did not take has failed.
    isUntold: row.reason !== null,
  };
}
