import { shown } from '../answers/answer-form.ts';
import type { OaiAnswer } from '../answers/oai-answer.ts';
import type { PageToken } from '../answers/record-header.ts';
import type { Visit } from '../answers/visit.ts';
import { childrenOf } from '../answers/xml-element.ts';

const shortestLife = 23 * 3_600_000;

/** The token of a first page. @param records on it */
export function judgeToken(
  visit: Visit,
  answer: OaiAnswer,
  token: PageToken | undefined,
  records: number,
): void {
  const count = childrenOf(answer.content, 'resumptionToken').length;
  visit.judge(
    'token-form',
    answer,
    count > 1
      ? `there are ${count} resumptionTokens`
      : token?.text === ''
        ? `the list is complete with ${records} records, and ends with an empty resumptionToken`
        : undefined,
  );
  if (!token || token.text === '') return;
  visit.judge(
    'list-page-size',
    answer,
    records < 100 || records > 500 ? `the first page has ${records} records` : undefined,
  );
  const size = token.completeListSize;
  visit.judge(
    'token-size',
    answer,
    size === undefined
      ? 'there is no completeListSize'
      : Number(size) > records
        ? undefined
        : `completeListSize is ${shown(size)}, the first page has ${records} records, and there are more`,
  );
  const { text, expirationDate } = token;
  visit.judge(
    'token-characters',
    answer,
    encodeURIComponent(text) === text ? undefined : `a token is ${shown(text)}`,
  );
  if (expirationDate === undefined) return;
  const left = Date.parse(expirationDate) - visit.port.now().getTime();
  visit.judge(
    'token-expires',
    answer,
    left >= shortestLife
      ? undefined
      : Number.isNaN(left)
        ? `expirationDate is ${shown(expirationDate)}`
        : `expirationDate is ${expirationDate}, ${Math.max(0, Math.round(left / 60_000))} minutes from now`,
  );
}

/** @param delivered records before this page */
export function judgeAttributes(
  visit: Visit,
  answer: OaiAnswer,
  { cursor }: PageToken,
  delivered: number,
): void {
  if (cursor === undefined) return;
  visit.judge(
    'token-cursor',
    answer,
    Number(cursor) === delivered ? undefined : `cursor is ${shown(cursor)} behind ${delivered} records`,
  );
}

/** @param delivered of the whole list; undefined: it was not read to its end */
export function judgeSizes(
  visit: Visit,
  answer: OaiAnswer,
  first: { readonly token: PageToken },
  delivered: number | undefined,
): void {
  const size = Number(first.token.completeListSize);
  if (delivered === undefined || Number.isNaN(size)) return;
  // The protocol lets it be an estimate; and records come and go meanwhile.
  const isNear = Math.abs(size - delivered) <= Math.max(2, delivered * 0.02);
  visit.judge(
    'token-size',
    answer,
    isNear
      ? undefined
      : `completeListSize is ${size} on the first page, and the list has ${delivered} records`,
  );
}
