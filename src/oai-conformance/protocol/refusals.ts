import { shown } from '../answers/answer-form.ts';
import { hasCode, type OaiAnswer, outcomeOf } from '../answers/oai-answer.ts';
import { dayOf, firstYears, shiftDays } from '../answers/oai-dates.ts';
import { headersOf } from '../answers/record-header.ts';
import type { Query, Visit } from '../answers/visit.ts';
import type { CheckId } from '../checks/check-table.ts';
import type { Identity } from './identity.ts';

/** A request that is wrong, and the codes that it may be refused with. */
interface BadRequest {
  readonly check: CheckId;
  readonly query: Query;
  readonly codes: readonly string[];
}

const list = { verb: 'ListRecords', metadataPrefix: 'oai_dc' };
const get = { verb: 'GetRecord', metadataPrefix: 'oai_dc' };

/** Asks what is wrong, or leads nowhere. @param hasSets undefined: it is not known */
export async function checkRefusals(
  visit: Visit,
  identity: Identity,
  identifier: string | undefined,
  hasSets: boolean | undefined,
): Promise<void> {
  for (const { check, query, codes } of badRequests(identity, identifier, hasSets)) {
    const answer = await visit.ask(query, [check]);
    if (answer) visit.judge(check, answer, faultOfRefusal(answer, codes));
  }
  if (identity.granularity === 'day') await checkFineDates(visit, identity);
}

function badRequests(
  { granularity, earliest: stated }: Identity,
  identifier: string | undefined,
  hasSets: boolean | undefined,
): readonly BadRequest[] {
  const bad = (check: CheckId, query: Query, ...codes: readonly string[]): BadRequest => ({
    ...{ check, query, codes },
  });
  const known = identifier ?? 'oai:example.org:1';
  const day = dayOf(stated ?? '2000-01-01');
  const noRecord = 'oai:no.such.repository.example.org:no-such-record';
  return [
    bad('refuses-verb', 'junk', 'badVerb'),
    bad('refuses-verb', 'verb=junk', 'badVerb'),
    bad('refuses-verb', 'verb=Identify&verb=Identify', 'badVerb'),
    bad('refuses-missing', { verb: 'GetRecord', identifier: known }, 'badArgument'),
    bad('refuses-missing', get, 'badArgument'),
    bad('refuses-missing', { verb: 'ListRecords' }, 'badArgument'),
    bad('refuses-missing', { verb: 'ListIdentifiers' }, 'badArgument'),
    bad('refuses-unknown', { verb: 'Identify', until: day }, 'badArgument'),
    bad('refuses-unknown', { ...list, untill: day }, 'badArgument'),
    bad('refuses-repeated', 'verb=ListRecords&metadataPrefix=oai_dc&metadataPrefix=oai_dc', 'badArgument'),
    bad('refuses-dates', { ...list, from: 'junk' }, 'badArgument'),
    bad('refuses-dates', { ...list, until: 'junk' }, 'badArgument'),
    bad('refuses-dates', { ...list, from: '2002-02-31' }, 'badArgument'),
    bad(
      'refuses-mixed-dates',
      { ...list, from: day, until: `${shiftDays(day, 1)}T00:00:00Z` },
      'badArgument',
    ),
    bad('refuses-reversed-dates', { ...list, from: shiftDays(day, 1), until: day }, 'badArgument'),
    bad(
      'refuses-company',
      { verb: 'ListRecords', resumptionToken: 'junk', until: day },
      'badArgument',
      'badResumptionToken',
    ),
    bad('refuses-token', { verb: 'ListRecords', resumptionToken: 'junk' }, 'badResumptionToken'),
    bad('refuses-token', { verb: 'ListIdentifiers', resumptionToken: 'junk' }, 'badResumptionToken'),
    ...(hasSets === true
      ? [bad('refuses-token', { verb: 'ListSets', resumptionToken: 'junk' }, 'badResumptionToken')]
      : []),
    bad('refuses-identifier', { ...get, identifier: noRecord }, 'idDoesNotExist'),
    bad('refuses-identifier', { ...get, identifier: 'invalid"id' }, 'idDoesNotExist', 'badArgument'),
    bad('refuses-identifier', { verb: 'ListMetadataFormats', identifier: noRecord }, 'idDoesNotExist'),
    bad('refuses-format', { ...list, metadataPrefix: 'no_such_format' }, 'cannotDisseminateFormat'),
    ...(identifier === undefined
      ? []
      : [
          bad(
            'refuses-format',
            { ...get, identifier, metadataPrefix: 'no_such_format' },
            'cannotDisseminateFormat',
          ),
        ]),
    // Where nobody knows when it begins, any list may have records.
    ...(stated !== undefined && stated > firstYears
      ? [
          bad(
            'refuses-empty',
            { ...list, until: shiftDays(granularity === 'second' ? stated : day, -366) },
            'noRecordsMatch',
          ),
        ]
      : []),
    bad(
      'refuses-set',
      { ...list, set: 'no-such-set-here' },
      ...(hasSets === false ? ['noSetHierarchy'] : ['noRecordsMatch', 'badArgument', 'noSetHierarchy']),
    ),
  ];
}

function faultOfRefusal(answer: OaiAnswer, codes: readonly string[]): string | undefined {
  if (hasCode(answer, ...codes)) return undefined;
  const query = [...answer.arguments].map(([name, value]) => `${name}=${value}`).join('&');
  return `${shown(query)} is answered with ${outcomeOf(answer)}, not with ${codes.join(' or ')}`;
}

/** A repository that speaks of days may be asked by days alone. */
async function checkFineDates(visit: Visit, { earliest = '2000-01-01' }: Identity): Promise<void> {
  const from = `${dayOf(earliest)}T00:00:00Z`;
  const answer = await visit.ask({ verb: 'ListIdentifiers', metadataPrefix: 'oai_dc', from }, [
    'refuses-fine-dates',
  ]);
  if (!answer) return;
  const fault = hasCode(answer, 'badArgument')
    ? undefined
    : `from with seconds is answered with ${outcomeOf(answer)} (${headersOf(answer).length} records), although the granularity is days`;
  visit.judge('refuses-fine-dates', answer, fault);
}
