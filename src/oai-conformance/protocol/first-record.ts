import { countOf } from '../../core/count-of.ts';
import { answeredAt, outcomeOf } from '../answers/oai-answer.ts';
import { headersOf, type RecordHeader, recordsOf, tokenOf } from '../answers/record-header.ts';
import type { Visit } from '../answers/visit.ts';
import { faultOfPost } from './post.ts';
import type { StatedSets } from './sets.ts';

/** A record to try the protocol with. */
export interface SampleRecord {
  readonly header: RecordHeader;
  /** The set it was found in. */
  readonly set: string | undefined;
  /** The `responseDate` of the list. */
  readonly answeredAt: string;
}

const list = { verb: 'ListIdentifiers', metadataPrefix: 'oai_dc' };
/** Sets that are looked into for a record. */
const mostSets = 3;

/** Looks for a record that is not deleted: in the first sets, then without a set. */
export async function findSample(
  visit: Visit,
  sets: StatedSets | undefined,
): Promise<SampleRecord | undefined> {
  let found: SampleRecord | undefined;
  for (const set of [...(sets?.specs ?? [])].slice(0, mostSets)) {
    const answer = await visit.ask({ ...list, set }, ['sets-selection']);
    if (!answer) continue;
    const headers = headersOf(answer);
    for (const header of headers) visit.judge('sets-selection', answer, faultOfSet(header, set));
    const token = tokenOf(answer)?.text ?? '';
    if (token !== '') await checkLaterPage(visit, set, token);
    const header = headers.find(({ status }) => status === undefined);
    if (header) {
      found = { header, set, answeredAt: answeredAt(answer) };
      break;
    }
  }
  const answer = await visit.ask(list, ['list-begins']);
  if (!answer) return found;
  const headers = headersOf(answer);
  const header = headers.find(({ status }) => status === undefined);
  // Where what was deleted comes first, it may be a page away.
  const deletedAlone = headers.length > 0 && tokenOf(answer)?.text;
  visit.judge(
    'list-begins',
    answer,
    header
      ? undefined
      : headers.length === 0
        ? `it is answered with ${outcomeOf(answer)}`
        : `every record of the ${deletedAlone ? 'first page' : 'list'} is deleted (${countOf(headers.length, 'record')})`,
  );
  return found ?? (header && { header, set: undefined, answeredAt: answeredAt(answer) });
}

/** Whether the token still knows the set. */
async function checkLaterPage(visit: Visit, set: string, token: string): Promise<void> {
  const query = { verb: 'ListIdentifiers', resumptionToken: token };
  const answer = await visit.ask(query, ['sets-selection']);
  if (!answer) return;
  for (const header of headersOf(answer)) visit.judge('sets-selection', answer, faultOfSet(header, set));
}

function faultOfSet({ identifier, sets }: RecordHeader, set: string): string | undefined {
  const isIn = sets.some((spec) => spec === set || spec.startsWith(`${set}:`));
  return isIn
    ? undefined
    : `${identifier} is listed in ${set}, and its header names ${sets.join(', ') || 'no set'}`;
}

/** Asks for the record alone, by GET and POST. */
export async function checkGetRecord(visit: Visit, { header }: SampleRecord): Promise<void> {
  const { identifier } = header;
  const query = { verb: 'GetRecord', identifier, metadataPrefix: 'oai_dc' };
  const answer = await visit.ask(query, ['record-get', 'post-get-record']);
  if (!answer) return;
  const [own] = headersOf(answer);
  const same = recordsOf(answer).length === 1 && own !== undefined ? faultOfHeader(own, header) : undefined;
  visit.judge(
    'record-get',
    answer,
    own === undefined ? `${identifier} is listed, and answered with ${outcomeOf(answer)}` : same,
  );
  const post = await visit.ask(query, ['post-get-record'], { method: 'POST' });
  if (post && own) visit.judge('post-get-record', post, faultOfPost(answer, post));
}

function faultOfHeader(own: RecordHeader, listed: RecordHeader): string | undefined {
  if (own.identifier !== listed.identifier) return `${listed.identifier} is answered with ${own.identifier}`;
  // Later: it was changed meanwhile.
  if (own.datestamp < listed.datestamp)
    return `the datestamp of ${own.identifier} is ${own.datestamp}, and ${listed.datestamp} in the list`;
  const lost = listed.sets.find((spec) => !own.sets.includes(spec));
  return lost !== undefined && own.datestamp === listed.datestamp
    ? `${own.identifier} is in ${lost} in the list, and not when it is asked for`
    : undefined;
}
