import { longAgo } from '../../core/datetime.ts';
import { isAbsolute } from '../../core/uris.ts';
import type { SqliteDatabase } from '../drivers/sqlite-driver.ts';

/**
 * What a database that makes room for a backup knows better than it: what has been taken down since, what servers refuse since, and
 * who may not come in any more. The backup is of an earlier moment, but nothing that is kept from others is theirs again for that.
 */
export interface CarriedOver {
  /** What was withdrawn, and in the backup is not. */
  readonly withdrawals: number;
  /** Files whose servers have said no since: they are withheld until those are asked again. */
  readonly refusals: number;
  /** Records and files that were published at the backup and are not any more: withheld until a harvest shows them again. */
  readonly gone: number;
  /** Whether accounts, tokens and the audit log are those of the database that made room: where the backup is an earlier state of it. */
  readonly access: boolean;
  /** Items and paths that are withdrawn in the backup alone: somebody has had them published again since. */
  readonly restored: readonly string[];
}

/** Who may come in, and who did what: each with what tells its rows apart. */
const accessTables: Readonly<Record<string, string>> = {
  admin_account: 'name',
  admin_link: 'hash',
  admin_session: 'hash',
  api_token: 'hash',
  share_link: 'hash',
  audit: 'id',
};

/**
 * All or nothing of it. Either may be of another release.
 * @param from the database that makes room
 * @param to a copy of the backup
 * @param now ISO
 */
export function carryOver(from: SqliteDatabase, to: SqliteDatabase, now: string): CarriedOver {
  to.exec('begin immediate');
  try {
    const isEarlier = isEarlierState(from, to);
    const carried = {
      restored: isEarlier ? restoredSince(from, to) : [],
      withdrawals: carryWithdrawals(from, to, now),
      refusals: carryRefusals(from, to, now),
      gone: isEarlier ? carryGone(from, to, now) : 0,
      access: isEarlier,
    };
    readEverythingOf(from, to);
    if (isEarlier) for (const [table, key] of Object.entries(accessTables)) carryAccess(from, to, table, key);
    to.exec('commit');
    return carried;
  } finally {
    if (to.isTransaction) to.exec('rollback');
  }
}

/** Somebody did something before the backup, or a journal was begun, that both know of. */
function isEarlierState(from: SqliteDatabase, to: SqliteDatabase): boolean {
  const isShared = (table: string, mark: string, latest = '') => {
    if (sharedColumns(from, to, table).length === 0) return false;
    const marks = `select ${mark} as mark from ${table} where ${mark} is not null`;
    const known = new Set(rowsOf(to, `${marks} ${latest}`).map((row) => row.mark));
    return known.size > 0 && rowsOf(from, marks).some((row) => known.has(row.mark));
  };
  return (
    isShared('source', 'journal_id') ||
    isShared('audit', "id || ' ' || at || ' ' || who || ' ' || action", 'order by id desc limit 1')
  );
}

const withdrawn = 'select source, identifier, path from withdrawal order by id';

function restoredSince(from: SqliteDatabase, to: SqliteDatabase): readonly string[] {
  if (sharedColumns(from, to, 'withdrawal').length === 0) return [];
  const keyOf = ({ source, identifier, path }: Row) => JSON.stringify([source, identifier, path]);
  const known = new Set(rowsOf(from, withdrawn).map(keyOf));
  const added = rowsOf(to, withdrawn).filter((row) => !known.has(keyOf(row)));
  return [...new Set(added.map(({ identifier, path }) => String(path || identifier)))];
}

function carryWithdrawals(from: SqliteDatabase, to: SqliteDatabase, now: string): number {
  copyRows(from, to, 'private_part', new Set());
  if (sharedColumns(from, to, 'withdrawal').length === 0) return 0;
  const hide = 'update resource set withdrawn_at = ? where withdrawn_at is null';
  const ofItem =
    'item_id in (select id from item where identifier = ? and source_id = (select id from source where name = ?))';
  const whole = to.prepare(`${hide} and ${ofItem}`);
  const one = to.prepare(`${hide} and ${ofItem} and path = ?`);
  // Of a file that is only linked to, in whatever source.
  const link = to.prepare(`${hide} and path = ?`);
  let carried = 0;
  copyRows(from, to, 'withdrawal', new Set(['id']), ({ source, identifier, path }) => {
    carried += 1;
    if (path === '') whole.run(now, identifier, source);
    else if (isAbsolute(String(path))) link.run(now, path);
    else one.run(now, identifier, source, path);
  });
  return carried;
}

function carryRefusals(from: SqliteDatabase, to: SqliteDatabase, now: string): number {
  const withhold = sharedColumns(from, to, 'remote_file').includes('outcome')
    ? withholding(to, now)
    : undefined;
  if (!withhold) return 0;
  const refused = from.prepare(
    `select source.name, remote_file.url, remote_file.outcome, remote_file.reason
     from remote_file join source on source.id = remote_file.source_id
     where remote_file.outcome in ('refused', 'gone')`,
  );
  let carried = 0;
  for (const { name, url, outcome, reason } of refused.iterate() as Iterable<Row>)
    if (withhold(name, url, outcome, reason)) carried += 1;
  return carried;
}

type Withhold = (source: Cell, url: Cell, outcome: Cell, reason: Cell) => boolean;
type Cell = Value | undefined;

/** Files are withheld until they have been asked for again, which is done first. Undefined: of an earlier release. */
function withholding(to: SqliteDatabase, now: string): Withhold | undefined {
  const columns = columnsOf(to, 'remote_file');
  const needed = ['url', 'outcome', 'reason', 'withheld_at', 'due_at'];
  if (!needed.every((column) => columns.has(column)) || !columnsOf(to, 'source').has('refusals_due'))
    return undefined;
  const withhold = to.prepare(
    `update remote_file set outcome = ?, reason = ?, withheld_at = ?, due_at = '${longAgo}', failures = 0
     where url = ? and source_id = (select id from source where name = ?) and outcome not in ('refused', 'gone')`,
  );
  const recount =
    columnsOf(to, 'file_recount').size > 0
      ? to.prepare('insert into file_recount (source_id, url) select id, ? from source where name = ?')
      : undefined;
  const weigh = to.prepare('update source set refusals_due = ? where name = ?');
  return (source = null, url = null, outcome = null, reason = null) => {
    if (Number(withhold.run(outcome, reason, now, url, source).changes) === 0) return false;
    recount?.run(url, source);
    weigh.run(now, source);
    return true;
  };
}

/**
 * What was published at the backup and is not any more, whoever said so: hardly anything of what a repository hides has a date by which
 * the next harvest would hear of it. A file that its item does without is asked for as well.
 */
function carryGone(from: SqliteDatabase, to: SqliteDatabase, now: string): number {
  if (!canBeRefused(to)) return 0;
  copyRows(from, to, 'private_item', new Set());
  const hide = to.prepare(
    `update resource set withdrawn_at = ?, refused_at = ?
     where path = ? and source_id = (select id from source where name = ?) and deleted_at is null and withdrawn_at is null`,
  );
  const gone = from.prepare(
    `select source.name, resource.path, resource.upstream_url as url, resource.kind = 'file' and exists (
       select 1 from resource beside
       where beside.item_id = resource.item_id and beside.kind = 'metadata' and beside.deleted_at is null
     ) as alone
     from resource join source on source.id = resource.source_id
     where resource.deleted_at is not null or resource.withdrawn_at is not null`,
  );
  const withhold = withholding(to, now);
  let carried = 0;
  for (const { name, path, url, alone } of gone.iterate() as Iterable<Row>) {
    if (Number(hide.run(now, now, path ?? null, name ?? null).changes) === 0) continue;
    if (alone === 1)
      withhold?.(name, url, 'refused', 'it was not published any more when a backup was put back');
    carried += 1;
  }
  return carried;
}

/** An earlier release has no place for it, but its database is taken over with it. */
function canBeRefused(to: SqliteDatabase): boolean {
  if (columnsOf(to, 'resource').has('refused_at')) return true;
  if (!columnsOf(to, 'source').has('item_count')) return false;
  to.exec('alter table resource add column refused_at text');
  return true;
}

/** The next harvest of a source of which something is undone compares all that there is. */
function readEverythingOf(from: SqliteDatabase, to: SqliteDatabase): void {
  const needed = ['name', 'journal_id', 'journal_seq', 'selection'];
  const columns = sharedColumns(from, to, 'source');
  if (!needed.every((column) => columns.includes(column))) return;
  const journals = 'select name, journal_id, journal_seq from source';
  const keyOf = ({ name, journal_id, journal_seq }: Row) =>
    JSON.stringify([name, journal_id, `${journal_seq}`]);
  const known = new Set(rowsOf(from, journals).map(keyOf));
  const undone = to.prepare("update source set selection = '' where name = ? and selection is not null");
  for (const row of rowsOf(to, journals)) if (!known.has(keyOf(row))) undone.run(row.name ?? null);
}

/**
 * As it is in the database that makes room; of another release, what that has unchanged: what a column more would say, as of a token
 * that is for some sets only, must not be lost.
 */
function carryAccess(from: SqliteDatabase, to: SqliteDatabase, table: string, key: string): void {
  const there = columnsOf(to, table);
  if (there.size === 0) return;
  const columns = sharedColumns(from, to, table);
  if (columns.length === there.size && columns.length === columnsOf(from, table).size) {
    to.exec(`delete from ${table}`);
    copyRows(from, to, table, new Set());
    return;
  }
  const compared = columns.filter((column) => column !== 'used_at');
  const keyOf = (row: Row) => JSON.stringify(compared.map((column) => String(row[column])));
  const known = new Set(columns.length > 0 ? rowsOf(from, `select * from ${table}`).map(keyOf) : []);
  const remove = to.prepare(`delete from ${table} where ${key} = ?`);
  for (const row of rowsOf(to, `select * from ${table}`)) {
    if (!known.has(keyOf(row))) remove.run(row[key] as Value);
  }
}

/** Those that are not there yet. @param onCopied told of each */
function copyRows(
  from: SqliteDatabase,
  to: SqliteDatabase,
  table: string,
  without: ReadonlySet<string>,
  onCopied: (row: Row) => void = () => undefined,
): void {
  const columns = sharedColumns(from, to, table).filter((column) => !without.has(column));
  if (columns.length === 0) return;
  const names = columns.map((column) => `"${column}"`).join(', ');
  const places = columns.map(() => '?').join(', ');
  const insert = to.prepare(`insert or ignore into ${table} (${names}) values (${places})`);
  for (const row of from.prepare(`select ${names} from ${table}`).iterate() as Iterable<Row>) {
    const values = columns.map((column) => row[column] as Value);
    if (Number(insert.run(...values).changes) > 0) onCopied(row);
  }
}

type Value = null | number | bigint | string | Uint8Array;
type Row = Readonly<Record<string, Value>>;

/** Of a table that both have; none, if either has not. */
function sharedColumns(from: SqliteDatabase, to: SqliteDatabase, table: string): readonly string[] {
  const there = columnsOf(to, table);
  return [...columnsOf(from, table)].filter((column) => there.has(column));
}

function columnsOf(database: SqliteDatabase, table: string): ReadonlySet<string> {
  return new Set(rowsOf(database, `pragma table_info(${table})`).map(({ name }) => String(name)));
}

function rowsOf(database: SqliteDatabase, sql: string): readonly Row[] {
  return database.prepare(sql).all() as Row[];
}
