import { listXml, type PageEnd } from '../../oai/lists.ts';
import { OaiRefusal } from '../../oai/protocol.ts';
import { headerXml, recordXml } from '../../oai/record.ts';
import { noRecords, noSets, nothingLeft, unknownFormat } from '../../oai/refusals.ts';
import type { ListRequest } from '../../oai/request.ts';
import { writeToken } from '../../oai/resumption-token.ts';
import { RecordsNotInOrder } from '../../store/oai/record-pages.ts';
import { expiryOf } from './expiry.ts';
import type { OaiDeps } from './oai-deps.ts';
import { headerOf, writeRecords } from './record-writing.ts';
import type { AskedList, HeldRecord, OaiRepository } from './repository.ts';
import { notReady } from './waiting/list-turns.ts';

/** Validators and aggregators want 100 to 500 records; headers are small. */
const perPage = { ListRecords: 100, ListIdentifiers: 500 } as const;

/** A page ends with the record that reaches so many octets. */
const pageBytes = 8 * 1024 ** 2;

interface Page {
  /** As XML. */
  readonly entries: readonly string[];
  /** Those of them that are written down. */
  readonly held: readonly HeldRecord[];
  /** The place behind which the next page begins; undefined: there is none. */
  readonly next: number | undefined;
}

export interface AnsweredList {
  readonly content: Iterable<string>;
  readonly held: readonly HeldRecord[];
}

/** A page of records or headers. */
export async function answerList(
  deps: OaiDeps,
  repository: OaiRepository,
  request: ListRequest,
): Promise<AnsweredList> {
  const { journal, secret } = repository;
  const { verb, prefix, set, from, until, place } = request;
  if (!(await repository.hasFormat(prefix))) throw new OaiRefusal(unknownFormat);
  const list = { prefix, set, until };
  const after = place?.after ?? (from === undefined ? 0 : await repository.before(from));
  const { entries, held, next } = await readPage(deps, repository, verb, list, after);
  if (entries.length === 0 && !place) {
    const isWithoutSets = set !== undefined && !(await repository.hasSets());
    throw new OaiRefusal(isWithoutSets ? noSets : noRecords);
  }
  if (entries.length === 0) {
    const again = await lastOnceMore(deps, repository, request, list, after);
    return { ...again, content: listXml(verb, again.entries, endOf(repository, request, '')) };
  }
  const total = place ? place.total : await totalOf(repository, list, after, entries.length);
  const delivered = (place?.delivered ?? 0) + entries.length;
  const key = { secret, journal: journal.id };
  const token =
    next === undefined
      ? ''
      : writeToken({ verb, prefix, set, from, until, after: next, delivered, total }, key);
  const isWhole = token === '' && !place;
  const end = isWhole ? undefined : { ...endOf(repository, request, token), total };
  return { content: listXml(verb, entries, end), held };
}

/** Records that cannot be written are left out; a page has at least one that can, unless none is left. */
async function readPage(
  deps: OaiDeps,
  repository: OaiRepository,
  verb: ListRequest['verb'],
  list: AskedList,
  after: number,
): Promise<Page> {
  for (let last = after; ; ) {
    const { records, more } = await repository.records(list, last, perPage[verb]).catch((error: unknown) => {
      throw error instanceof RecordsNotInOrder
        ? notReady('the records of this source are being put in order')
        : error;
    });
    const some = verb === 'ListRecords' ? withinBytes(records) : records;
    const entries = await entriesOf(deps, verb, list.prefix, some);
    const end = some.at(-1)?.record.seq;
    const isMore = more || some.length < records.length;
    if (entries.length > 0 || !isMore || end === undefined)
      return { entries, held: some, next: isMore ? end : undefined };
    last = end;
  }
}

function withinBytes(records: readonly HeldRecord[]): readonly HeldRecord[] {
  let bytes = 0;
  const end = records.findIndex(({ record: { length = 0, deleted } }) => {
    bytes += deleted ? 0 : length;
    return bytes >= pageBytes;
  });
  return end < 0 ? records : records.slice(0, end + 1);
}

async function entriesOf(
  deps: OaiDeps,
  verb: ListRequest['verb'],
  prefix: string,
  records: readonly HeldRecord[],
): Promise<readonly string[]> {
  if (verb === 'ListIdentifiers') return records.map((held) => headerXml(headerOf(held)));
  return (await writeRecords(deps, prefix, records)).map(recordXml);
}

/** Everything has left a list whose token promised more: no answer can say so, so its last record comes again. */
async function lastOnceMore(
  deps: OaiDeps,
  repository: OaiRepository,
  { verb, from }: ListRequest,
  list: AskedList,
  after: number,
): Promise<Pick<Page, 'entries' | 'held'>> {
  const last = await repository.lastRecord(list, after);
  const isWithin = last && (from === undefined || last.record.at >= from);
  const entries = isWithin ? await entriesOf(deps, verb, list.prefix, [last]) : [];
  if (!last || entries.length === 0) throw new OaiRefusal(nothingLeft);
  return { entries, held: [last] };
}

/** @param shown on the first page: a total that is not more than that is wrong, and not told */
async function totalOf(
  repository: OaiRepository,
  list: AskedList,
  after: number,
  shown: number,
): Promise<number | undefined> {
  const total = await repository.count(list, after);
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
