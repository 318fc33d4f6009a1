import fc from 'fast-check';
import type { Misbehaviour } from './provider/misbehaviour.ts';
import { identifierOf } from './repository.ts';

/** What stays as it is for as long as a repository lives: it is in the bytes, or in what was promised. */
export interface Climate {
  readonly records: number;
  readonly pageSize: number;
  readonly formats: readonly string[];
  readonly requestsPerHost: number;
  readonly wrong: Misbehaviour;
}

export type EditKind = 'edit' | 'add' | 'remove' | 'vanish' | 'restore' | 'edit silently' | 'move silently';

/** What happens between two harvests, and how the next one is met. */
export interface Day {
  readonly edits: readonly { readonly kind: EditKind; readonly pick: number }[];
  readonly wrong: Misbehaviour;
  readonly mode: 'full' | 'incremental';
  readonly seconds: number;
}

/** `undefined` more often than not: a storm of everything at once is weaker than one of a few things together. */
function sometimes<T>(...values: readonly T[]): fc.Arbitrary<T | undefined> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom(...values) },
  );
}

function rarely<T>(...values: readonly T[]): fc.Arbitrary<T | undefined> {
  return fc.oneof(
    { weight: 14, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom(...values) },
  );
}

/** Without the keys that are undefined. */
function some<T extends object>(
  switches: { [Key in keyof T]: fc.Arbitrary<T[Key] | undefined> },
): fc.Arbitrary<T> {
  return fc
    .record(switches as never)
    .map(
      (all: object) =>
        Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as T,
    );
}

export const climates: fc.Arbitrary<Climate> = fc.record({
  records: fc.integer({ min: 15, max: 60 }),
  pageSize: fc.constantFrom(5, 10),
  formats: fc.constantFrom(['oai_dc'], ['oai_dc', 'mods']),
  requestsPerHost: fc.constantFrom(1, 1, 3),
  wrong: some<Misbehaviour>({
    granularity: sometimes('day'),
    deletedRecord: sometimes('no', 'transient', 'persistent'),
    setSpecs: sometimes('missing', 'twice'),
    namespacesOn: sometimes('metadata', 'record', 'list', 'root'),
    encoding: sometimes('ISO-8859-1 declared'),
    damage: sometimes('control characters', 'noncharacters', 'Latin-1 bytes'),
    untilIsExclusive: sometimes(true),
    localTimeHours: sometimes(9),
    strictDates: sometimes(true),
    blanksAroundIdentifiers: sometimes(true),
  }),
});

/** What hides records, so that nobody can be blamed for not finding them; but nothing may be deleted for it. */
const hiding: readonly (keyof Misbehaviour)[] = [
  'tokenLoop',
  'tokenWithheld',
  'unstableOrder',
  'notListed',
  'getRecord',
];

export function hidesRecords(wrong: Misbehaviour): boolean {
  return hiding.some((name) => wrong[name] !== undefined);
}

const misbehaviours: fc.Arbitrary<Misbehaviour> = some<Misbehaviour>({
  tokenLoop: rarely('same token', 'same page', 'circle'),
  tokenWithheld: rarely(true),
  unstableOrder: rarely(true),
  notListed: rarely([identifierOf(3), identifierOf(9)]),
  getRecord: rarely('fails'),
  scrollContexts: sometimes(1),
  withoutMetadata: rarely([identifierOf(5)]),
  tokenLifetimeSeconds: sometimes(90),
  tokensNameTheNextPage: sometimes(true),
  tokenOnLastPage: sometimes('noRecordsMatch', 'badResumptionToken', 'nothing'),
  emptyPageAtTheEnd: sometimes(true),
  lastToken: sometimes('absent', 'empty', 'blank'),
  tokensLookEncoded: sometimes(true),
  tokensComparedRaw: sometimes(true),
  cursor: sometimes('pages', 'zero', 'absent'),
  completeListSize: sometimes('absent', 'low', 'growing'),
  poisoned: sometimes([identifierOf(4)], [identifierOf(11), identifierOf(12)]),
  widestWindowDays: sometimes(5),
  largestList: sometimes(20),
  setsPerPage: sometimes(1),
  errorStatus: sometimes(404, 422, 500),
  inventedErrorEvery: sometimes(7),
  htmlEvery: sometimes(5, 6),
  busyEvery: sometimes(4, 7),
  rateExceededEvery: sometimes(5),
  retryAfter: sometimes({ seconds: 40, as: 'date' }, { seconds: 100, as: 'seconds' }),
  retryAfterAlways: sometimes(60),
  failEvery: sometimes(6),
  redirect: sometimes('without query', 'with query', 'illegal characters'),
  wrongBaseUrl: sometimes(true),
  refusesPost: sometimes(true),
  gzip: sometimes('honest', 'undeclared', 'declared only', 'broken'),
  cutOffEvery: sometimes(5, 8),
  cutOff: sometimes('connection', 'body'),
  noticesBehind: sometimes(true),
  strictArguments: sometimes(true),
  refusesDeclaredGranularity: sometimes(true),
  granularityText: sometimes('yyyy-mm-dd', 'unknown'),
  earliestDatestamp: sometimes('1970-01-01T00:00:00Z', 'aaaa-bb-cc', '2026-02-27T00:00:00Z', '2036-01-01'),
  refusesFrom: sometimes(true),
  datestampsAreNow: sometimes(true),
  headersTellCreation: sometimes(true),
  anyOrder: sometimes(true),
  datestampForm: sometimes('fraction', 'no zone', 'future', 'garbage'),
  deletedWord: sometimes('Deleted'),
  strangeTombstones: sometimes(3),
  noSets: sometimes('noSetHierarchy', 'badVerb', 'empty'),
  listedTwice: sometimes([identifierOf(2)]),
  formatsAreWrong: sometimes(true),
  lowerCaseVerbs: sometimes(true),
  identifyShuffled: sometimes(true),
  prolog: sometimes('byte order mark', 'blank lines', 'stylesheet'),
  doctype: sometimes('small', 'bomb'),
  protocolElements: sometimes('oai:', 'no namespace'),
  besidePayload: sometimes('comment', 'text', 'CDATA', 'second element'),
  secondRoot: sometimes(true),
  requestElement: sometimes('missing', 'first', 'on several lines'),
  abouts: sometimes(2),
});

export const days: fc.Arbitrary<Day> = fc.record({
  edits: fc.array(
    fc.record({
      kind: fc.constantFrom<EditKind>(
        'edit',
        'add',
        'remove',
        'vanish',
        'restore',
        'edit silently',
        'move silently',
      ),
      pick: fc.nat(1000),
    }),
    { maxLength: 6 },
  ),
  wrong: misbehaviours,
  mode: fc.constantFrom('incremental', 'incremental', 'full'),
  seconds: fc.constantFrom(60, 3600, 90_000),
});
