import { addSeconds } from '../../core/datetime.ts';
import { listXml, type OfferedFormat, type PageEnd } from '../../oai/lists.ts';
import { OaiRefusal } from '../../oai/protocol.ts';
import { headerXml, recordXml } from '../../oai/record.ts';
import { noRecords, noSets, nothingLeft, unknownFormat } from '../../oai/refusals.ts';
import type { ListRequest } from '../../oai/request.ts';
import { writeToken } from '../../oai/resumption-token.ts';
import type { Queryable } from '../../store/engine/database.ts';
import {
  countRecords,
  type RecordList,
  RecordsNotInOrder,
  readLastRecord,
  readRecords,
} from '../../store/oai/record-pages.ts';
import type { StoredRecord } from '../../store/oai/stored-record.ts';
import { lastSeqBefore } from '../../store/sources/journal.ts';
import { hasSets } from './answer-sets.ts';
import { expiryOf } from './expiry.ts';
import { notReady } from './list-turns.ts';
import type { OaiDeps } from './oai-deps.ts';
import { headerOf, writeRecords } from './record-writing.ts';
import type { OaiRepository } from './repository.ts';

/** Validators and aggregators want 100 to 500 records; headers are small. */
const perPage = { ListRecords: 100, ListIdentifiers: 500 } as const;

/** A page ends with the record that reaches so many octets. */
const pageBytes = 8 * 1024 ** 2;

interface Page {
  /** As XML. */
  readonly entries: readonly string[];
  /** The sequence behind which the next page begins; undefined: there is none. */
  readonly next: number | undefined;
}

/** A page of records or headers. */
export async function answerList(
  deps: OaiDeps,
  repository: OaiRepository,
  request: ListRequest,
): Promise<{ readonly content: Iterable<string>; readonly records: number }> {
  const { journal, secret } = repository;
  const { verb, prefix, set, from, until, place } = request;
  const db = deps.database.reader;
  const format = repository.formats.find((offered) => offered.prefix === prefix);
  if (!format) throw new OaiRefusal(unknownFormat);
  if (set !== undefined && !(await hasSets(db, repository.source))) throw new OaiRefusal(noSets);
  const list = { sourceId: journal.sourceId, format: prefix, spec: set, until };
  const after = place?.after ?? (await beginningOf(db, repository, from));
  const { entries, next } = await readPage(deps, repository, request, { list, format, after });
  if (entries.length === 0 && !place) throw new OaiRefusal(noRecords);
  if (entries.length === 0) {
    const again = await lastOnceMore(deps, repository, request, { list, format, after });
    return { content: listXml(verb, [again], endOf(repository, request, '')), records: 1 };
  }
  const total = place ? place.total : await totalOf(db, repository, list, after, entries.length);
  const delivered = (place?.delivered ?? 0) + entries.length;
  const key = { secret, journal: journal.id };
  const token =
    next === undefined
      ? ''
      : writeToken({ verb, prefix, set, from, until, after: next, delivered, total }, key);
  const isWhole = token === '' && !place;
  const end = isWhole ? undefined : { ...endOf(repository, request, token), total };
  return { content: listXml(verb, entries, end), records: entries.length };
}

interface Place {
  readonly list: RecordList;
  readonly format: OfferedFormat;
  readonly after: number;
}

/** Records that cannot be written are left out; a page has at least one that can, unless none is left. */
async function readPage(
  deps: OaiDeps,
  repository: OaiRepository,
  { verb }: ListRequest,
  { list, format, after }: Place,
): Promise<Page> {
  for (let last = after; ; ) {
    const { records, more } = await readRecords(deps.database.reader, list, last, perPage[verb]).catch(
      (error: unknown) => {
        throw error instanceof RecordsNotInOrder
          ? notReady('the records of this source are being put in order')
          : error;
      },
    );
    const some = verb === 'ListRecords' ? withinBytes(records) : records;
    const entries = await entriesOf(deps, repository, verb, format, some);
    const end = some.at(-1)?.seq;
    const isMore = more || some.length < records.length;
    if (entries.length > 0 || !isMore || end === undefined)
      return { entries, next: isMore ? end : undefined };
    last = end;
  }
}

function withinBytes(records: readonly StoredRecord[]): readonly StoredRecord[] {
  let bytes = 0;
  const end = records.findIndex(({ length = 0, deleted }) => {
    bytes += deleted ? 0 : length;
    return bytes >= pageBytes;
  });
  return end < 0 ? records : records.slice(0, end + 1);
}

async function entriesOf(
  deps: OaiDeps,
  repository: OaiRepository,
  verb: ListRequest['verb'],
  format: OfferedFormat,
  records: readonly StoredRecord[],
): Promise<readonly string[]> {
  if (verb === 'ListIdentifiers') return records.map((record) => headerXml(headerOf(repository, record)));
  return (await writeRecords(deps, repository, format, records)).map(recordXml);
}

/** Everything has left a list whose token promised more: no answer can say so, so its last record comes again. */
async function lastOnceMore(
  deps: OaiDeps,
  repository: OaiRepository,
  { verb, from }: ListRequest,
  { list, format, after }: Place,
): Promise<string> {
  const last = await readLastRecord(deps.database.reader, list, after);
  const isWithin = last && (from === undefined || last.at >= from);
  const [entry] = isWithin ? await entriesOf(deps, repository, verb, format, [last]) : [];
  if (entry === undefined) throw new OaiRefusal(nothingLeft);
  return entry;
}

async function beginningOf(
  db: Queryable,
  { journal }: OaiRepository,
  from: string | undefined,
): Promise<number> {
  return from === undefined ? 0 : lastSeqBefore(db, journal.sourceId, journal.seq, from);
}

/** @param shown on the first page: a total that is not more than that is wrong, and not told */
async function totalOf(
  db: Queryable,
  { journal }: OaiRepository,
  list: RecordList,
  after: number,
  shown: number,
): Promise<number | undefined> {
  const upTo =
    list.until === undefined
      ? journal.seq
      : await lastSeqBefore(db, journal.sourceId, journal.seq, addSeconds(list.until, 1));
  const total = await countRecords(db, list, after, upTo);
  return total !== undefined && total > shown ? total : undefined;
}

function endOf({ journal }: OaiRepository, { place }: ListRequest, token: string): PageEnd {
  return {
    token,
    expiresAt: expiryOf(journal.at),
    cursor: place?.delivered ?? 0,
    total: place?.total,
  };
}
