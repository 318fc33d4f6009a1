import { fingerprint } from '../answers/kept-text.ts';
import { answeredAt, type OaiAnswer, outcomeOf } from '../answers/oai-answer.ts';
import { granularityOf } from '../answers/oai-dates.ts';
import {
  headersOf,
  type PageToken,
  type RecordHeader,
  recordsOf,
  tokenOf,
} from '../answers/record-header.ts';
import { isUnchanged } from '../answers/unchanged.ts';
import { mostPages, type Query, type Visit } from '../answers/visit.ts';
import type { XmlElement } from '../answers/xml-element.ts';
import type { CheckId } from '../checks/check-table.ts';
import { judgeAttributes, judgeSizes, judgeToken } from './tokens.ts';

/** What is done with each record of a walk. */
export type LookAt = (record: XmlElement, header: RecordHeader, answer: OaiAnswer) => void;

/** What a page needs to be judged. */
const needs: readonly CheckId[] = [
  'token-works',
  'token-empty-page',
  'token-last',
  'list-once',
  'token-progress',
];
/** Records that later ones are compared with, some 100 bytes each. */
const mostCompared = 2_000_000;

/** Walks through `ListRecords` of `oai_dc`, token by token, as far as records were asked for. */
export async function walkRecords(visit: Visit, lookAt: LookAt): Promise<void> {
  const seen = new Set<string>();
  const tokens = new Set<string>();
  let query: Query = { verb: 'ListRecords', metadataPrefix: 'oai_dc' };
  let delivered = 0;
  let first: { readonly token: PageToken; readonly records: number } | undefined;
  for (let page = 0; ; page += 1) {
    const answer: OaiAnswer | undefined = await visit.ask(query, page === 0 ? ['list-once'] : needs);
    if (!answer) return;
    const headers = headersOf(answer);
    const token = tokenOf(answer);
    if (page > 0) judgeLater(visit, answer, headers, token);
    if (headers.length === 0) return;
    const fresh = judgeOnce(visit, answer, headers, seen);
    for (const [position, record] of recordsOf(answer).entries()) {
      const header = headers[position];
      if (header) lookAt(record, header, answer);
    }
    visit.records += headers.length;
    if (page === 0) judgeToken(visit, answer, token, headers.length);
    if (!token) return;
    judgeAttributes(visit, answer, token, delivered);
    first ??= { token, records: headers.length };
    delivered += headers.length;
    if (token.text === '') {
      judgeSizes(visit, answer, first, delivered);
      return;
    }
    const mark = fingerprint(token.text);
    const isNew = !tokens.has(mark) && fresh > 0;
    visit.judge(
      'token-progress',
      answer,
      isNew
        ? undefined
        : fresh === 0
          ? `page ${page + 1} has no record that was not there before`
          : `page ${page + 1} has a token that an earlier page had`,
    );
    if (!isNew) return;
    tokens.add(mark);
    if (page === 0) await checkAgain(visit, token.text);
    if (visit.records >= visit.options.records || page + 1 >= mostPages(visit.options)) {
      judgeSizes(visit, answer, first, undefined);
      return;
    }
    query = { verb: 'ListRecords', resumptionToken: token.text };
  }
}

function judgeLater(
  visit: Visit,
  answer: OaiAnswer,
  headers: readonly RecordHeader[],
  token: PageToken | undefined,
): void {
  const refused = answer.errors.some(({ code }) => code === 'badResumptionToken' || code === 'badArgument');
  visit.judge('token-works', answer, refused ? `the token is answered with ${outcomeOf(answer)}` : undefined);
  if (refused) return;
  visit.judge(
    'token-empty-page',
    answer,
    headers.length > 0 ? undefined : `a token leads to ${outcomeOf(answer)} without records`,
  );
  if (headers.length > 0)
    visit.judge(
      'token-last',
      answer,
      token ? undefined : 'a page behind the first has no resumptionToken at all',
    );
}

/** @returns how many records were not there before; one that has moved because it was changed counts as new */
function judgeOnce(
  visit: Visit,
  answer: OaiAnswer,
  headers: readonly RecordHeader[],
  seen: Set<string>,
): number {
  let fresh = 0;
  for (const { identifier, datestamp } of headers) {
    const mark = fingerprint(identifier, datestamp);
    const isAgain = seen.has(mark);
    visit.judge('list-once', answer, isAgain ? `${identifier} is listed a second time` : undefined);
    if (!isAgain) fresh += 1;
    if (seen.size < mostCompared) seen.add(mark);
  }
  return fresh;
}

/** Sends the same token twice. */
async function checkAgain(visit: Visit, token: string): Promise<void> {
  const query = { verb: 'ListRecords', resumptionToken: token };
  const [one, other] = [await visit.ask(query, ['token-again']), await visit.ask(query, ['token-again'])];
  if (!one || !other) return;
  const known = new Set(headersOf(other).map(({ identifier }) => identifier));
  const lost = headersOf(one).find(({ identifier }) => !known.has(identifier));
  if (lost && !(await isUnchanged(visit, lost, ['token-again']))) return;
  visit.judge('token-again', other, lost && `the second answer to one token lacks ${lost.identifier}`);
}

/** Datestamps of one record. */
export function judgeDatestamp(
  visit: Visit,
  answer: OaiAnswer,
  { identifier, datestamp }: RecordHeader,
  { granularity, earliest }: { readonly granularity: string; readonly earliest: string | undefined },
): void {
  const form = granularityOf(datestamp);
  visit.judge(
    'date-form',
    answer,
    form === granularity ? undefined : `the datestamp of ${identifier} is “${datestamp.slice(0, 40)}”`,
  );
  if (form === undefined) return;
  const stated = answeredAt(answer);
  const isFuture = stated !== '' && datestamp > stated.slice(0, datestamp.length);
  visit.judge('date-future', answer, isFuture ? `the datestamp of ${identifier} is ${datestamp}` : undefined);
  if (earliest !== undefined) {
    const isEarly = datestamp < earliest.slice(0, datestamp.length);
    visit.judge(
      'identify-earliest-bound',
      answer,
      isEarly ? `the datestamp of ${identifier} is ${datestamp}, before ${earliest}` : undefined,
    );
  }
}
