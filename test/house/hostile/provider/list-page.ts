import type { HostileRecord, Repository } from '../repository.ts';
import type { OaiArguments } from './arguments.ts';
import { HttpFault, OaiFault, pageForPeople } from './fault.ts';
import { findFormat } from './formats.ts';
import type { Misbehaviour } from './misbehaviour.ts';
import { select, shuffle } from './selection.ts';
import type { OpenList, Place, TokenOffice } from './tokens.ts';

export interface ListDeps {
  readonly repository: Repository;
  readonly tokens: TokenOffice;
  /** ISO, and in milliseconds. */
  readonly now: string;
  readonly milliseconds: number;
  readonly wrong: Misbehaviour;
  readonly pageSize: number;
  readonly formats: readonly string[];
}

/** A page of a list before it is written. */
export interface ListPage {
  readonly verb: string;
  readonly metadataPrefix: string;
  /** From 0. */
  readonly number: number;
  readonly records: readonly HostileRecord[];
  /** The whole `<resumptionToken>` but for its name; undefined: there is none. */
  readonly token: { readonly text: string; readonly attributes: string } | undefined;
}

/** The first page of a list, or the one that a token leads to. @throws OaiFault, HttpFault */
export function listPage(given: OaiArguments, deps: ListDeps): ListPage {
  const { wrong, tokens, milliseconds } = deps;
  const place =
    given.resumptionToken === undefined
      ? { list: begin(given, deps), offset: 0, page: 0 }
      : tokens.redeem(given, milliseconds, wrong);
  const { list, page } = place;
  const identifiers = orderOf(place, given, deps);
  const offset = Math.min(place.offset, identifiers.length);
  const isOfHeaders = list.verb === 'ListIdentifiers';
  const length = (isOfHeaders ? wrong.identifiersPerPage : undefined) ?? deps.pageSize;
  const end = Math.min(offset + length, identifiers.length);
  if (offset >= identifiers.length && page > 0) return beyond(place, wrong);
  list.reached = end;
  const records = identifiers.slice(offset, end).flatMap((id) => deps.repository.find(id) ?? []);
  refuse(list, records, wrong);
  const shown = records.filter(({ hidden }) => !hidden);
  if (shown.length === 0 && wrong.hiddenPagesEndTheList === true) {
    throw new OaiFault('noRecordsMatch', 'Nothing to show on this page.');
  }
  return {
    verb: list.verb,
    metadataPrefix: list.metadataPrefix,
    number: page,
    records: page === 0 ? twice(shown, wrong) : shown,
    token: tokenFor(place, { end, total: identifiers.length }, given, deps),
  };
}

function begin(given: OaiArguments, deps: ListDeps): OpenList {
  const { wrong, repository, now } = deps;
  const { verb, metadataPrefix = '', set, from, until } = given;
  if (metadataPrefix === '') throw new OaiFault('badArgument', 'metadataPrefix is missing.');
  if (findFormat(metadataPrefix) === undefined || !deps.formats.includes(metadataPrefix)) {
    throw new OaiFault('cannotDisseminateFormat', `There is no format ${metadataPrefix}.`);
  }
  if (set !== undefined && wrong.noSets !== undefined) {
    throw new OaiFault('noSetHierarchy', 'There are no sets here.');
  }
  checkWindow(given, deps);
  const selection = { set, from, until };
  const selected = select(repository, selection, now, wrong).filter(
    (record) =>
      (wrong.hiddenPagesEndTheList === true || !record.hidden) &&
      (wrong.missingFormatEndsTheList === true || exists(record, metadataPrefix)),
  );
  if (selected.length > (wrong.largestList ?? Number.POSITIVE_INFINITY)) {
    throw new HttpFault(413, pageForPeople('Request Entity Too Large'));
  }
  if (selected.length === 0 && (wrong.strangeTombstones ?? 0) === 0) throw nothing(wrong);
  const identifiers = selected.map(({ identifier }) => identifier);
  return { verb, metadataPrefix, selection, identifiers, reached: 0 };
}

function exists({ formats }: HostileRecord, prefix: string): boolean {
  return formats === undefined || formats.includes(prefix);
}

function nothing(wrong: Misbehaviour): OaiFault {
  return wrong.nothingIsCannotDisseminate === true
    ? new OaiFault('cannotDisseminateFormat', 'There is nothing like that.')
    : new OaiFault('noRecordsMatch', 'There is nothing like that.');
}

function checkWindow({ from, until }: OaiArguments, { wrong, now, repository }: ListDeps): void {
  const earliest = wrong.earliestDatestamp ?? repository.records[0]?.datestamp ?? now;
  if (wrong.refusesEarlyFrom === true && from !== undefined && from < earliest.slice(0, from.length)) {
    throw new OaiFault('badArgument', 'from is before the earliest datestamp.');
  }
  if (wrong.widestWindowDays === undefined) return;
  // Without a from, and with an early one, there is nothing to look through before the first record.
  const start = Math.max(
    Date.parse(from ?? '1970-01-01'),
    Date.parse(repository.records[0]?.datestamp ?? now),
  );
  const days = (Date.parse(until ?? now) - start) / 86_400_000;
  if (days > wrong.widestWindowDays) throw new HttpFault(500, pageForPeople('Internal Server Error'));
}

/** Which identifiers this page is cut out of. */
function orderOf(
  { list, page }: Place,
  given: OaiArguments,
  { wrong, repository, now }: ListDeps,
): readonly string[] {
  const { tokenForgets: forgets } = wrong;
  if (page > 0 && forgets !== undefined) {
    const { set, from, until } = wrong.tokenTakesFilter === true ? given : nothingGiven;
    const own = list.selection;
    const dates = forgets === 'set' ? own : { from, until };
    const selection = { ...dates, set: forgets === 'dates' ? own.set : set };
    return select(repository, selection, now, wrong).map(({ identifier }) => identifier);
  }
  return wrong.unstableOrder === true ? shuffle(list.identifiers, page + 3) : list.identifiers;
}

const nothingGiven = { set: undefined, from: undefined, until: undefined };

/** The page behind the last one. */
function beyond({ list, page }: Place, wrong: Misbehaviour): ListPage {
  if (wrong.tokenOnLastPage === 'badResumptionToken') {
    throw new OaiFault('badResumptionToken', 'The list is over.');
  }
  if (wrong.tokenOnLastPage === 'noRecordsMatch') throw new OaiFault('noRecordsMatch', 'The list is over.');
  const { verb, metadataPrefix } = list;
  return { verb, metadataPrefix, number: page, records: [], token: { text: '', attributes: '' } };
}

function refuse(list: OpenList, records: readonly HostileRecord[], wrong: Misbehaviour): void {
  const poisoned = new Set(wrong.poisoned);
  if (list.verb === 'ListRecords' && records.some(({ identifier }) => poisoned.has(identifier))) {
    throw new HttpFault(wrong.poisonStatus ?? 500, pageForPeople('Internal Server Error'));
  }
  const absent = records.some((record) => !exists(record, list.metadataPrefix));
  if (absent) throw new OaiFault('cannotDisseminateFormat', 'One of them does not have this format.');
}

function twice(records: readonly HostileRecord[], wrong: Misbehaviour): readonly HostileRecord[] {
  const chosen = new Set(wrong.listedTwice);
  const old = records
    .filter(({ identifier }) => chosen.has(identifier))
    .map((record) => ({ ...record, title: `${record.title} (old)` }));
  return [...old, ...records];
}

function tokenFor(
  { list, page, offset }: Place,
  { end, total }: { end: number; total: number },
  given: OaiArguments,
  { wrong, tokens, milliseconds, pageSize }: ListDeps,
): ListPage['token'] {
  const strangers = wrong.strangeTombstones ?? 0;
  const attributes = attributesFor(
    // Strangers are counted, as everything else that is listed.
    { offset: page === 0 ? 0 : offset + strangers, page, total: list.identifiers.length + strangers },
    wrong,
  );
  const token = (next: number) => ({
    text: tokens.issue({ list, offset: next, page: page + 1 }, milliseconds, wrong),
    attributes,
  });
  if (page > 0 && wrong.tokenLoop === 'same token') {
    return { text: given.resumptionToken ?? '', attributes };
  }
  if (page > 0 && wrong.tokenLoop === 'same page') return token(offset);
  if (end < total) return wrong.tokenWithheld === true ? undefined : token(end);
  if (wrong.tokenLoop === 'circle' && page > 0) return token(0);
  if (wrong.tokenOnLastPage !== undefined) return token(end);
  if (wrong.emptyPageAtTheEnd === true && total % pageSize === 0) return token(end);
  if (wrong.lastToken === 'absent' || page === 0 || wrong.tokenWithheld === true) return undefined;
  if (wrong.lastToken === 'blank') return { text: ' \n ', attributes: '' };
  return { text: '', attributes: wrong.lastToken === 'empty' ? '' : attributes };
}

function attributesFor(
  { offset, page, total }: { offset: number; page: number; total: number },
  { cursor, completeListSize, tokenWithheld }: Misbehaviour,
): string {
  if (cursor === 'absent' || tokenWithheld === true) return '';
  const number = cursor === 'pages' ? page : cursor === 'zero' ? 0 : offset;
  const factor = { low: 0.5, high: 3, growing: 1 + page / 2, absent: 0 }[completeListSize ?? 'low'];
  const size = completeListSize === undefined ? total : Math.ceil(total * factor);
  const stated = completeListSize === 'absent' ? '' : ` completeListSize="${size}"`;
  return `${stated} cursor="${number}"`;
}
