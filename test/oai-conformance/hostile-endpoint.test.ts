import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CheckId } from '../../src/oai-conformance/checks/check-table.ts';
import type { Misbehaviour } from '../house/hostile/provider/misbehaviour.ts';
import { HostileProvider } from '../house/hostile/provider/provider.ts';
import { Repository } from '../house/hostile/repository.ts';
import { createVirtualClock, type VirtualClock } from '../house/hostile/virtual-clock.ts';
import { judge } from '../house/oai-conformance/judged.ts';

let clock: VirtualClock;
let repository: Repository;
let provider: HostileProvider;

beforeEach(async () => {
  clock = createVirtualClock();
  repository = new Repository(clock.iso);
  repository.fill(25);
  repository.remove('oai:hostile.example.org:4');
  clock.advance(60);
  provider = new HostileProvider({ repository, clock, formats: ['oai_dc', 'mods'], pageSize: 10 });
  await provider.listen();
});
afterEach(() => provider.close());

/** What the provider does not do well when it does nothing wrong on purpose: it echoes no arguments, and refuses little. */
async function honestFailures(): Promise<CheckId[]> {
  provider.misbehave({});
  return (await judge(provider.url, {}, clock)).in('failed');
}

const faults: readonly (readonly [string, Misbehaviour, CheckId])[] = [
  ['OAI-PMH errors with status 422', { errorStatus: 422 }, 'http-status'],
  ['lists that end in HTTP 500', { failEvery: 1 }, 'http-status'],
  ['a redirect', { redirect: 'with query' }, 'http-redirect'],
  ['a charset that is not true', { encoding: 'ISO-8859-1 in the header only' }, 'http-charset'],
  ['another encoding', { encoding: 'ISO-8859-1 declared' }, 'xml-utf8'],
  ['Latin-1 in UTF-8', { damage: 'Latin-1 bytes' }, 'xml-utf8'],
  ['control characters', { damage: 'control characters' }, 'xml-well-formed'],
  ['HTML entities', { damage: 'HTML entities' }, 'xml-well-formed'],
  ['tags that do not match', { damage: 'unbalanced tags' }, 'xml-well-formed'],
  ['pages for people', { htmlEvery: 1 }, 'xml-well-formed'],
  ['words behind the document', { noticesBehind: true }, 'xml-well-formed'],
  ['blank lines in front', { prolog: 'blank lines' }, 'xml-declaration'],
  ['no XML declaration', { prolog: 'no declaration' }, 'xml-declaration'],
  ['a DOCTYPE', { doctype: 'small' }, 'xml-doctype'],
  ['no namespace', { protocolElements: 'no namespace' }, 'xml-namespace'],
  ['a prefix', { protocolElements: 'oai:' }, 'xml-prefix'],
  ['request before responseDate', { requestElement: 'first' }, 'xml-structure'],
  ['an error beside records', { errors: 'beside records' }, 'xml-structure'],
  ['verbs in lower case', { lowerCaseVerbs: true }, 'xml-structure'],
  ['a shuffled Identify', { identifyShuffled: true }, 'xml-structure'],
  ['invented codes', { inventedErrorEvery: 1 }, 'error-code'],
  ['another base URL', { wrongBaseUrl: true }, 'identify-base-url'],
  ['a granularity of its own', { granularityText: 'YYYY-MM-DDTHH:MM:SSZ' }, 'identify-granularity'],
  ['no earliest datestamp', { earliestDatestamp: 'aaaa-bb-cc' }, 'identify-earliest'],
  [
    'an earliest datestamp of 1970',
    { earliestDatestamp: '1970-01-01T00:00:00Z' },
    'identify-earliest-credible',
  ],
  [
    'an earliest datestamp of today',
    { earliestDatestamp: '2026-03-01T12:00:00Z' },
    'identify-earliest-bound',
  ],
  ['POST that is refused', { refusesPost: true }, 'post-identify'],
  ['no early from', { refusesEarlyFrom: true }, 'date-early-from'],
  ['seconds refused', { refusesDeclaredGranularity: true }, 'date-found'],
  ['seconds taken by days', { granularityText: 'YYYY-MM-DD' }, 'refuses-fine-dates'],
  ['datestamps of now', { datestampsAreNow: true }, 'date-steady'],
  ['an exclusive until', { untilIsExclusive: true }, 'date-found'],
  ['days that end when they begin', { untilDayEndsAtMidnight: true }, 'date-found'],
  ['local time', { localTimeHours: 9 }, 'date-found'],
  ['fractions of seconds', { datestampForm: 'fraction' }, 'date-form'],
  ['no zone', { datestampForm: 'no zone' }, 'date-form'],
  ['datestamps in the future', { datestampForm: 'future' }, 'date-future'],
  ['nothing matches, said otherwise', { nothingIsCannotDisseminate: true }, 'refuses-empty'],
  ['sets denied by badVerb', { noSets: 'badVerb' }, 'sets-answer'],
  ['an empty list of sets', { noSets: 'empty' }, 'sets-answer'],
  ['sets in pages', { setsPerPage: 2 }, 'sets-paged'],
  ['sets without end', { listSets: 'endless' }, 'sets-once'],
  ['tokens that forget the set', { tokenForgets: 'set' }, 'sets-selection'],
  ['headers without sets', { setSpecs: 'missing' }, 'sets-selection'],
  ['setSpecs twice', { setSpecs: 'twice' }, 'sets-listed'],
  ['formats with other namespaces', { formatsAreWrong: true }, 'formats-payload'],
  ['formats without schema', { formatsAreWrong: true }, 'formats-schema'],
  ['GetRecord that knows nothing', { getRecord: 'idDoesNotExist' }, 'record-get'],
  ['blanks around identifiers', { blanksAroundIdentifiers: true }, 'record-identifier'],
  ['tombstones with metadata', { tombstonesWithMetadata: true }, 'record-tombstone'],
  ['another word for deleted', { deletedWord: 'Deleted' }, 'record-tombstone'],
  ['deletions that are denied', { deletedRecord: 'no' }, 'record-deletions-stated'],
  ['deletions that are not kept', { deletedRecord: 'no' }, 'base-deletions'],
  ['records without metadata', { withoutMetadata: ['oai:hostile.example.org:5'] }, 'record-metadata'],
  ['two payloads', { besidePayload: 'second element' }, 'record-metadata'],
  ['records listed twice', { listedTwice: ['oai:hostile.example.org:5'] }, 'list-once'],
  ['another order on each page', { unstableOrder: true }, 'list-once'],
  ['tokens that move on by asking', { tokensNameTheNextPage: true }, 'token-again'],
  ['the same token again', { tokenLoop: 'same token' }, 'token-progress'],
  ['the same page again', { tokenLoop: 'same page' }, 'token-progress'],
  ['a circle of pages', { tokenLoop: 'circle' }, 'token-progress'],
  ['tokens that die', { tokenLifetimeSeconds: 0 }, 'token-works'],
  [
    'a token on the last page that leads to an error',
    { tokenOnLastPage: 'noRecordsMatch' },
    'token-empty-page',
  ],
  ['a token on the last page that is refused', { tokenOnLastPage: 'badResumptionToken' }, 'token-works'],
  ['an empty last page', { tokenOnLastPage: 'nothing' }, 'token-empty-page'],
  ['no token on the last page', { lastToken: 'absent' }, 'token-last'],
  ['a cursor that counts pages', { cursor: 'pages' }, 'token-cursor'],
  ['a list half as long as stated', { completeListSize: 'high' }, 'token-size'],
  ['no completeListSize', { completeListSize: 'absent' }, 'token-size'],
  ['tokens that need encoding', { tokensNeedEncoding: true }, 'token-characters'],
];

describe('The hostile provider: each fault has its finding', () => {
  test('without a fault it fails nothing that the faults below are to fail', async () => {
    const failures = await honestFailures();
    const expected = new Set(faults.map(([, , check]) => check));
    expect(failures.filter((check) => expected.has(check))).toEqual([]);
  });

  test.each(faults)('%s', async (_what, wrong, check) => {
    provider.misbehave(wrong);
    const judged = await judge(provider.url, {}, clock);
    expect(judged.of(check).findings, judged.messages.join('\n')).not.toEqual([]);
    expect(provider.faults).toEqual([]);
  });
});

describe('What says nothing is no judgement', () => {
  test('lists that are always busy leave their checks open, and nobody asks before the time', async () => {
    provider.misbehave({ busyEvery: 1, retryAfter: { seconds: 20, as: 'seconds' } });
    const judged = await judge(provider.url, {}, clock);
    expect(judged.of('identify-base-url').state).toBe('passed');
    for (const check of ['list-begins', 'list-once', 'refuses-dates', 'date-found'] as const)
      expect(judged.of(check), check).toMatchObject({
        state: check === 'date-found' ? 'absent' : 'unjudged',
        findings: [],
      });
    expect(judged.of('http-retry-after').state).toBe('passed');
    expect(provider.traffic.impatient).toEqual([]);
    expect(provider.traffic.most).toBe(1);
    // It stops asking after some of them.
    expect(judged.requests).toBeLessThan(40);
  });

  test('a Retry-After as a date is a finding; what comes after it is judged as usual', async () => {
    provider.misbehave({ busyEvery: 7, retryAfter: { seconds: 20, as: 'date' } });
    const judged = await judge(provider.url, {}, clock);
    expect(judged.of('http-retry-after').state).toBe('failed');
    expect(judged.in('unjudged')).toEqual([]);
    expect(provider.traffic.impatient).toEqual([]);
  });

  test('who is sent away for an hour goes away', async () => {
    provider.misbehave({ busyEvery: 1, retryAfter: { seconds: 3600, as: 'seconds' } });
    const judged = await judge(provider.url, {}, clock);
    expect(judged.of('list-begins').reason).toContain('3600 seconds');
  });

  test('an endpoint that lets nobody in is not judged at all', async () => {
    provider.misbehave({ forbids: 'everybody' });
    await expect(judge(provider.url, {}, clock)).rejects.toMatchObject({ code: 'upstream-unreachable' });
  });

  test('answers that break off leave their checks open', async () => {
    provider.misbehave({ cutOffEvery: 1, cutOff: 'connection' });
    const judged = await judge(provider.url, {}, clock);
    expect(judged.of('list-begins').state).toBe('unjudged');
    expect(judged.of('xml-well-formed').state).toBe('passed');
  });

  test('a record that is changed meanwhile is no finding', async () => {
    let lists = 0;
    provider.onRequest = ({ query }) => {
      if (query.get('verb') !== 'ListIdentifiers') return;
      lists += 1;
      // The sample is known by then.
      if (lists > 3) for (const { identifier } of repository.living) repository.edit(identifier);
    };
    const judged = await judge(provider.url, {}, clock);
    expect(judged.of('date-found').findings).toEqual([]);
  });
});
