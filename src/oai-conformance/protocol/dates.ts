import { answeredAt, type OaiAnswer, outcomeOf } from '../answers/oai-answer.ts';
import { dayOf, firstYears, granularityOf, shiftDays } from '../answers/oai-dates.ts';
import { headersOf, type RecordHeader, tokenOf } from '../answers/record-header.ts';
import { isUnchanged } from '../answers/unchanged.ts';
import type { Visit } from '../answers/visit.ts';
import type { CheckId } from '../checks/check-table.ts';
import type { SampleRecord } from './first-record.ts';
import type { Identity } from './identity.ts';

/** Pages of one moment that are read: whoever imports everything at once has many. */
const mostPages = 10;

interface Window {
  readonly headers: readonly RecordHeader[];
  readonly first: OaiAnswer;
  /** All pages were read. */
  readonly whole: boolean;
}

/** Harvests by the datestamp of one record, and with bounds outside of all datestamps. */
export async function checkDates(visit: Visit, identity: Identity, found: SampleRecord): Promise<void> {
  const { header: sample } = found;
  const { datestamp } = sample;
  await checkSteady(visit, found);
  if (granularityOf(datestamp) === identity.granularity) {
    if (identity.granularity === 'second') {
      await checkWindow(visit, sample, datestamp, ['date-found', 'date-exact']);
    }
    await checkWindow(visit, sample, dayOf(datestamp), ['date-found', 'date-day']);
  }
  await checkAlike(visit, sample);
  const { earliest } = identity;
  if (earliest !== undefined && earliest > firstYears)
    await checkBound(visit, 'date-early-from', { from: shiftDays(earliest, -400) });
  const now = visit.port.now().toISOString();
  const later = shiftDays(now.slice(0, 10), 400);
  const until = identity.granularity === 'second' ? `${later}T00:00:00Z` : later;
  await checkBound(visit, 'date-late-until', { until });
}

/** Whether a record that was just met has changed again: once may be chance, and twice at the moment of the answer is not. */
async function checkSteady(visit: Visit, { header, answeredAt: before }: SampleRecord): Promise<void> {
  const query = { verb: 'GetRecord', identifier: header.identifier, metadataPrefix: 'oai_dc' };
  const answer = await visit.ask(query, ['date-steady']);
  const [now] = answer ? headersOf(answer) : [];
  if (!answer || !now) return;
  const isNow = now.datestamp !== header.datestamp && now.datestamp === answeredAt(answer);
  visit.judge(
    'date-steady',
    answer,
    isNow && header.datestamp === before
      ? `the datestamp of ${now.identifier} was ${header.datestamp}, and is ${now.datestamp}: whenever it is asked for`
      : undefined,
  );
}

/** `from` and `until` are both this date. */
async function checkWindow(
  visit: Visit,
  sample: RecordHeader,
  date: string,
  [found, exact]: readonly [CheckId, CheckId],
): Promise<void> {
  const window = await readWindow(visit, 'ListIdentifiers', date, [found, exact]);
  if (!window) return;
  const { headers, first, whole } = window;
  const isThere = headers.some(({ identifier }) => identifier === sample.identifier);
  if (isThere) visit.judge(found, first, undefined);
  else if (whole && (await isUnchanged(visit, sample, [found]))) {
    const count = headers.length === 0 ? outcomeOf(first) : `${headers.length} others`;
    visit.judge(found, first, `from=until=${date} does not hold ${sample.identifier} (${count})`);
  }
  const stray = headers.find(({ datestamp }) => !datestamp.startsWith(date));
  if (headers.length > 0)
    visit.judge(
      exact,
      first,
      stray && `from=until=${date} holds ${stray.identifier}, whose datestamp is ${stray.datestamp}`,
    );
}

/** Both kinds of lists, of one moment. */
async function checkAlike(visit: Visit, { datestamp }: RecordHeader): Promise<void> {
  if (granularityOf(datestamp) === undefined) return;
  const headers = await readWindow(visit, 'ListIdentifiers', datestamp, ['list-alike']);
  const records = await readWindow(visit, 'ListRecords', datestamp, ['list-alike']);
  if (!headers?.whole || !records?.whole) return;
  const left = onlyIn(headers, records);
  const right = onlyIn(records, headers);
  const odd = left ?? right;
  if (odd !== undefined && !(await isUnchanged(visit, odd, ['list-alike']))) return;
  visit.judge(
    'list-alike',
    records.first,
    left
      ? `${left.identifier} is in ListIdentifiers of ${datestamp}, and not in ListRecords`
      : right && `${right.identifier} is in ListRecords of ${datestamp}, and not in ListIdentifiers`,
  );
}

function onlyIn(window: Window, other: Window): RecordHeader | undefined {
  const known = new Set(other.headers.map(({ identifier }) => identifier));
  return window.headers.find(({ identifier }) => !known.has(identifier));
}

async function readWindow(
  visit: Visit,
  verb: 'ListIdentifiers' | 'ListRecords',
  date: string,
  needs: readonly CheckId[],
): Promise<Window | undefined> {
  const first = await visit.ask({ verb, metadataPrefix: 'oai_dc', from: date, until: date }, needs);
  if (!first) return undefined;
  const headers = [...headersOf(first)];
  let token = tokenOf(first)?.text ?? '';
  for (let page = 1; token !== ''; page += 1) {
    if (page === mostPages) return { headers, first, whole: false };
    const answer = await visit.ask({ verb, resumptionToken: token }, needs);
    if (!answer) return undefined;
    const more = headersOf(answer);
    headers.push(...more);
    const next = tokenOf(answer)?.text ?? '';
    // A list that stands still is judged where it is walked through.
    if (more.length === 0 || next === token) return { headers, first, whole: false };
    token = next;
  }
  return { headers, first, whole: true };
}

/** A bound that leaves nothing out. */
async function checkBound(
  visit: Visit,
  check: CheckId,
  bound: { readonly from: string } | { readonly until: string },
): Promise<void> {
  const answer = await visit.ask({ verb: 'ListIdentifiers', metadataPrefix: 'oai_dc', ...bound }, [check]);
  if (!answer) return;
  const [[name, date] = ['', '']] = Object.entries(bound);
  visit.judge(
    check,
    answer,
    answer.errors.length > 0 ? `${name}=${date} is answered with ${outcomeOf(answer)}` : undefined,
  );
}
