import { BridgeError } from '../core/errors.ts';
import type { EndpointPort } from './answers/endpoint-port.ts';
import { payloadOf } from './answers/record-header.ts';
import type { Verdict } from './answers/verdicts.ts';
import { endpointUrl, Visit, type VisitOptions } from './answers/visit.ts';
import { checkGuidelines, counts } from './guidelines.ts';
import { checkDates } from './protocol/dates.ts';
import { checkGetRecord, findSample } from './protocol/first-record.ts';
import { checkFormats, checkFormatsOf } from './protocol/formats.ts';
import { checkIdentify, type Identity } from './protocol/identity.ts';
import { judgeDatestamp, walkRecords } from './protocol/record-walk.ts';
import { checkRefusals } from './protocol/refusals.ts';
import { checkSets, type StatedSets } from './protocol/sets.ts';
import { BaseRecords, judgeEncoding } from './records/base-records.ts';
import { judgeDublinCore } from './records/dublin-core.ts';
import { judgeOpenaireDublinCore } from './records/openaire-records.ts';
import { judgeDeletions, judgeRecord, judgeSets } from './records/record-form.ts';
import { judgeSchemaLocation } from './records/schema-location.ts';

/** What came of a look at an endpoint. */
export interface EndpointValidation {
  /** As it was asked. */
  readonly url: string;
  /** As it calls itself; undefined: it does not say. */
  readonly name: string | undefined;
  readonly requests: number;
  /** Records that were looked at. */
  readonly records: number;
  /** One for each check that was to be made, in the order of the table. */
  readonly verdicts: readonly Verdict[];
}

/**
 * Judges an OAI-PMH endpoint by what can be seen from outside, one request at a time. An answer that says nothing (503, a
 * connection that broke) leaves its checks open: they are neither passed nor failed.
 * @throws BridgeError where the endpoint does not answer at all
 */
export async function validateEndpoint(
  address: URL,
  port: EndpointPort,
  options: VisitOptions,
): Promise<EndpointValidation> {
  const visit = new Visit(endpointUrl(address), port, options);
  const identity = await checkIdentify(visit);
  if (identity) await checkEndpoint(visit, identity);
  else await refuseSilence(visit);
  return {
    url: visit.url,
    name: identity?.name,
    requests: visit.requests,
    records: visit.records,
    verdicts: visit.verdicts.all(),
  };
}

/** Nothing was learnt where the first request had no conclusive answer: that is no judgement. */
async function refuseSilence({ verdicts, url }: Visit): Promise<void> {
  const all = verdicts.all();
  const own = all.find(({ check }) => check === 'identify-answers');
  if (own?.state === 'failed' || all.some(({ state }) => state === 'failed')) {
    verdicts.judge(
      'identify-answers',
      `${url}?verb=Identify`,
      own?.reason ?? 'it is not answered in OAI-PMH',
    );
    return;
  }
  throw new BridgeError(
    'upstream-unreachable',
    `${url} could not be judged: ${own?.reason ?? 'it said nothing'}`,
    {
      retryable: true,
    },
  );
}

async function checkEndpoint(visit: Visit, identity: Identity): Promise<void> {
  const formats = await checkFormats(visit);
  const sets = await checkSets(visit);
  const sample = await findSample(visit, sets);
  if (sample) {
    await checkGetRecord(visit, sample);
    await checkFormatsOf(visit, sample.header.identifier, formats);
  }
  await checkRefusals(visit, identity, sample?.header.identifier, sets && sets.specs.size > 0);
  if (sample) await checkDates(visit, identity, sample);
  await checkRecords(visit, identity, sets);
  await checkGuidelines(visit, formats, sets?.specs);
}

async function checkRecords(visit: Visit, identity: Identity, sets: StatedSets | undefined): Promise<void> {
  const specs = sets?.whole === true && sets.specs.size > 0 ? sets.specs : undefined;
  const base = counts(visit, 'base', true) ? new BaseRecords(visit) : undefined;
  if (base) {
    const request = { request: `${visit.url}?verb=Identify` };
    judgeEncoding(visit, request, 'Identify', identity.texts);
    const isKept = identity.deletedRecord !== 'no';
    visit.judge('base-deletions', request, isKept ? undefined : 'deletedRecord is no');
  }
  const isForOpenaire = counts(visit, 'openaire', sets?.specs.has('openaire') === true);
  await walkRecords(visit, (record, header, answer) => {
    judgeDatestamp(visit, answer, header, identity);
    judgeRecord(visit, answer, record, header);
    judgeDeletions(visit, answer, header, identity.deletedRecord);
    judgeSets(visit, answer, header, specs);
    const { identifierStart } = identity;
    if (identifierStart !== undefined)
      visit.judge(
        'identify-oai-identifier-used',
        answer,
        header.identifier.startsWith(identifierStart)
          ? undefined
          : `${header.identifier} does not begin with ${identifierStart}`,
      );
    const payload = payloadOf(record);
    if (!payload || header.status !== undefined) return;
    judgeSchemaLocation(visit, answer, payload, 'oai_dc');
    judgeDublinCore(visit, answer, payload, header);
    base?.judge(answer, payload, header);
    if (isForOpenaire && header.sets.some((spec) => /^openaire(?::|$)/.test(spec)))
      judgeOpenaireDublinCore(payload, header, (check, fault) => visit.judge(check, answer, fault));
  });
}
