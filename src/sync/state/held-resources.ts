import { AddedKeys } from './added-keys.ts';
import type { CopyDatabase } from './copy-database.ts';

/** A resource that lies in the copy. Times are ISO UTC seconds, of the Source but for `fetchedAt`. */
export interface HeldResource {
  readonly id: number;
  readonly loc: string;
  /** Where it lies, in words of its sink: of a directory with slashes. */
  readonly path: string;
  /** What the sink noted of it. */
  readonly note: string | undefined;
  readonly asOf: string;
  readonly lastmod: string | undefined;
  /** Of the bytes: `sha-256:…` first, then others that the Source stated. */
  readonly hashes: readonly string[];
  /** Undefined where contents are not copied, and the Source does not say. */
  readonly length: number | undefined;
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
  readonly isProvisional: boolean;
  /** Since when it is to be deleted. */
  readonly doomed: string | undefined;
}

/** What is written of one. */
export interface NewlyHeld {
  readonly loc: string;
  readonly path: string;
  readonly note: string | undefined;
  readonly asOf: string;
  readonly lastmod: string | undefined;
  /** `sha-256:…`; undefined where contents are not copied, and the Source does not say. */
  readonly sha256: string | undefined;
  readonly otherHashes: readonly string[];
  readonly length: number | undefined;
  readonly type: string | undefined;
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
  readonly fetchedAt: string;
  readonly isProvisional: boolean;
}

interface Row {
  readonly id: number;
  readonly loc: string;
  readonly path: string;
  readonly as_of: string;
  readonly lastmod: string | null;
  readonly sha256: Uint8Array | null;
  readonly hashes: string | null;
  readonly length: number | null;
  readonly etag: string | null;
  readonly last_modified: string | null;
  readonly provisional: number;
  readonly doomed: string | null;
  readonly note: string | null;
}

const columns =
  'id, loc, path, as_of, lastmod, sha256, hashes, length, etag, last_modified, provisional, doomed, note';
const byLoc = `select ${columns} from held where loc = ?`;

/** Of what came by a package, nearly always. */
const usualInsert = `insert into held (loc, path, fold, as_of, lastmod, sha256, length, type, fetched_at)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** Rows that are looked at together where all are. */
const pageSize = 5_000;

export class HeldResources {
  readonly #database: CopyDatabase;
  /** False: nothing is known to be gone, and need not be looked for. */
  #hasGone: boolean;
  /** Addresses, paths and, with a slash, folders of what came in this run into an empty copy; others need not be looked for. */
  readonly #added: AddedKeys | undefined;

  constructor(database: CopyDatabase) {
    this.#database = database;
    this.#hasGone = database.get('select 1 as found from gone limit 1') !== undefined;
    const isEmpty = database.get('select 1 as found from held limit 1') === undefined;
    this.#added = isEmpty ? new AddedKeys() : undefined;
  }

  find(loc: string): HeldResource | undefined {
    if (this.#isNew(loc)) return undefined;
    const row = this.#database.get<Row>(byLoc, loc);
    return row && toHeld(row);
  }

  count(): number {
    return this.#database.get<{ n: number }>('select count(*) as n from held')?.n ?? 0;
  }

  /** How many, and the octets that they come to. */
  sum(): { readonly count: number; readonly octets: number } {
    const sql = 'select count(*) as n, coalesce(sum(length), 0) as octets from held';
    const row = this.#database.get<{ n: number; octets: number }>(sql);
    return { count: row?.n ?? 0, octets: row?.octets ?? 0 };
  }

  highestId(): number {
    return this.#database.get<{ n: number | null }>('select max(id) as n from held')?.n ?? 0;
  }

  /** It is not held, and about to be kept at a path that is free. */
  promise(loc: string, path: string): void {
    this.#added?.add(loc);
    this.#added?.addPath(path.toLowerCase());
  }

  /** The same as `keep` of one that was promised, and is held nowhere. */
  keepPromised(held: NewlyHeld): void {
    this.#keep(held, true);
  }

  keep(held: NewlyHeld): void {
    const { loc, path } = held;
    this.#added?.add(loc);
    this.#added?.addPath(path.toLowerCase());
    this.#keep(held, false);
  }

  #keep(held: NewlyHeld, isNew: boolean): void {
    const { loc, path, asOf, lastmod, sha256, length, type } = held;
    const fold = path.toLowerCase();
    // Half of what a row takes is to hand over what is in it.
    if (isNew && sha256 !== undefined && hasUsualFacts(held)) {
      const { fetchedAt } = held;
      const digest = octetsOf(sha256);
      this.#database.write(usualInsert, loc, path, fold, asOf, lastmod, digest, length, type, fetchedAt);
    } else this.#keepAnything(held, fold);
    if (this.#hasGone) this.#database.write('delete from gone where loc = ?', loc);
  }

  #keepAnything(held: NewlyHeld, fold: string): void {
    const { loc, path, asOf, lastmod, sha256, otherHashes, length, type, etag, lastModified } = held;
    this.#database.write(
      `insert into held (loc, path, fold, as_of, lastmod, sha256, hashes, length, type, etag, last_modified,
         fetched_at, provisional, note)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (loc) do update set path = excluded.path, fold = excluded.fold, as_of = excluded.as_of,
         lastmod = excluded.lastmod, sha256 = excluded.sha256, hashes = excluded.hashes, length = excluded.length,
         type = excluded.type, etag = excluded.etag, last_modified = excluded.last_modified,
         fetched_at = excluded.fetched_at, provisional = excluded.provisional, doomed = null,
         note = excluded.note`,
      loc,
      path,
      fold,
      asOf,
      lastmod,
      sha256 === undefined ? undefined : octetsOf(sha256),
      otherHashes.length === 0 ? undefined : otherHashes.join(' '),
      length,
      type,
      etag,
      lastModified,
      held.fetchedAt,
      held.isProvisional ? 1 : 0,
      held.note,
    );
  }

  /** The bytes are those that are stated now; `lastmod` stays where none is stated. */
  confirm(id: number, asOf: string, lastmod: string | undefined, otherHashes: readonly string[]): void {
    this.#database.write(
      `update held set as_of = max(as_of, ?), lastmod = coalesce(?, lastmod), hashes = coalesce(?, hashes),
         provisional = 0, doomed = null where id = ?`,
      ...[asOf, lastmod, otherHashes.length === 0 ? undefined : otherHashes.join(' '), id],
    );
  }

  /** It does not lie there as it should: whatever is stated of it is to come anew, to its place. */
  unknow(id: number): void {
    this.#database.write(
      `update held set lastmod = null, sha256 = null, hashes = null, etag = null, last_modified = null,
         provisional = 1 where id = ?`,
      id,
    );
  }

  moved(id: number, path: string): void {
    const fold = path.toLowerCase();
    this.#added?.addPath(fold);
    this.#database.write('update held set path = ?, fold = ? where id = ?', path, fold, id);
  }

  doom(id: number, since: string): void {
    this.#database.write('update held set doomed = ? where id = ?', since, id);
  }

  /** It is to be kept after all. */
  reprieve(id: number): void {
    this.#database.write('update held set doomed = null where id = ?', id);
  }

  countDoomed(): number {
    return (
      this.#database.get<{ n: number }>('select count(*) as n from held where doomed is not null')?.n ?? 0
    );
  }

  /** Those behind an id, in the order of their ids. */
  doomedAfter(id: number): readonly HeldResource[] {
    const sql = `select ${columns} from held where doomed is not null and id > ? order by id limit 500`;
    return this.#database.all<Row>(sql, id).map(toHeld);
  }

  /** It is not there any more; that it was is remembered, so that an older list does not bring it back. */
  remove(held: HeldResource, asOf: string): void {
    this.#database.write('delete from held where id = ?', held.id);
    this.noteGone(held.loc, asOf);
  }

  noteGone(loc: string, asOf: string): void {
    this.#hasGone = true;
    this.#database.write(
      `insert into gone (loc, as_of) values (?, ?)
       on conflict (loc) do update set as_of = excluded.as_of where excluded.as_of > gone.as_of`,
      ...[loc, asOf],
    );
  }

  /** Since when it is known to be gone. */
  goneSince(loc: string): string | undefined {
    if (!this.#hasGone) return undefined;
    return this.#database.get<{ as_of: string }>('select as_of from gone where loc = ?', loc)?.as_of;
  }

  /** Each id with what decides whether an absence counts. */
  *all(): Generator<{
    readonly id: number;
    readonly loc: string;
    readonly asOf: string;
    readonly isDoomed: boolean;
  }> {
    for (let last = 0; ; ) {
      const rows = this.#database.all<{ id: number; loc: string; as_of: string; doomed: string | null }>(
        'select id, loc, as_of, doomed from held where id > ? order by id limit ?',
        last,
        pageSize,
      );
      for (const { id, loc, as_of: asOf, doomed } of rows) yield { id, loc, asOf, isDoomed: doomed !== null };
      const end = rows.at(-1)?.id;
      if (end === undefined) return;
      last = end;
    }
  }

  /** What lies at a path, whatever the case of its letters. */
  at(path: string): HeldResource | undefined {
    const fold = path.toLowerCase();
    if (this.#isNew(fold)) return undefined;
    const row = this.#database.get<Row>(`select ${columns} from held where fold = ?`, fold);
    return row && toHeld(row);
  }

  /** Whether one lies there. @param fold a path, its letters in lower case */
  isAt(fold: string): boolean {
    if (this.#isNew(fold)) return false;
    return this.#database.get('select 1 as found from held where fold = ?', fold) !== undefined;
  }

  /** Whether one lies there, or in it as in a folder. */
  isTaken(fold: string): boolean {
    if (this.#added?.mayHavePath(fold) === false) return false;
    // `0` comes behind `/`.
    const sql = `select 1 as found from held where fold = ?
      union all select 1 from held where fold > ? and fold < ? limit 1`;
    return this.#database.get(sql, fold, `${fold}/`, `${fold}0`) !== undefined;
  }

  /** False: no file lies there, nor was it promised. @param fold a path, its letters in lower case */
  mayBeAt(fold: string): boolean {
    return !this.#isNew(fold);
  }

  /** True: nothing lies there or in it, nor was it promised. @param fold a path, its letters in lower case */
  isNewPath(fold: string): boolean {
    return this.#added?.mayHavePath(fold) === false;
  }

  /** Whether anything lies in it as in a folder. */
  isFolder(path: string): boolean {
    const fold = path.toLowerCase();
    if (this.#isNew(`${fold}/`)) return false;
    // `0` comes behind `/`.
    const sql = 'select 1 as found from held where fold > ? and fold < ? limit 1';
    return this.#database.get(sql, `${fold}/`, `${fold}0`) !== undefined;
  }

  /** True: nothing that is held has to do with it. */
  #isNew(key: string): boolean {
    return this.#added?.mayHave(key) === false;
  }
}

/** All that `usualInsert` leaves out is as it is by default. */
function hasUsualFacts({ otherHashes, etag, lastModified, isProvisional, note }: NewlyHeld): boolean {
  const isWithout = etag === undefined && lastModified === undefined && note === undefined;
  return isWithout && otherHashes.length === 0 && !isProvisional;
}

function toHeld(row: Row): HeldResource {
  const own = row.sha256 === null ? [] : [`sha-256:${Buffer.from(row.sha256).toString('hex')}`];
  return {
    id: row.id,
    loc: row.loc,
    path: row.path,
    asOf: row.as_of,
    lastmod: row.lastmod ?? undefined,
    hashes: row.hashes === null ? own : [...own, ...row.hashes.split(' ')],
    length: row.length ?? undefined,
    note: row.note ?? undefined,
    etag: row.etag ?? undefined,
    lastModified: row.last_modified ?? undefined,
    isProvisional: row.provisional !== 0,
    doomed: row.doomed ?? undefined,
  };
}

function octetsOf(sha256: string): Uint8Array {
  return Buffer.from(sha256.slice('sha-256:'.length), 'hex');
}
