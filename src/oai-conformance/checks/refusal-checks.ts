import type { CheckGroup } from './check.ts';

/** How requests are refused that are wrong, or lead nowhere. */
export const refusalChecks = {
  'refuses-verb': {
    severity: 'error',
    asks: 'No verb, an unknown one and two of them are answered with `badVerb`.',
    remedy: 'Answer with the error `badVerb`, whatever else the request holds.',
    sources: ['OAI-PMH: §3.6', 'zimeon: bad requests'],
  },
  'refuses-missing': {
    severity: 'error',
    asks: 'A required argument that is missing is answered with `badArgument`.',
    remedy: 'Ask for `identifier` and `metadataPrefix` in GetRecord, for `metadataPrefix` in lists.',
    sources: ['OAI-PMH: §3.6', 'zimeon: bad requests'],
  },
  'refuses-unknown': {
    severity: 'error',
    asks: 'An argument that the verb does not have is answered with `badArgument`.',
    remedy: 'Check the names of all arguments: a mistyped `until` is a harvest of everything.',
    sources: ['OAI-PMH: §3.6'],
  },
  'refuses-repeated': {
    severity: 'error',
    asks: 'An argument that is there twice is answered with `badArgument`.',
    remedy: 'Refuse repeated arguments, equal ones too.',
    sources: ['OAI-PMH: §3.6'],
  },
  'refuses-dates': {
    severity: 'error',
    asks: '`from` and `until` that are no dates are answered with `badArgument`.',
    remedy: 'Take `YYYY-MM-DD` and, if the granularity is seconds, `YYYY-MM-DDThh:mm:ssZ`; refuse all else.',
    sources: ['OAI-PMH: §3.3.1', 'OAI-PMH: §3.6', 'zimeon: bad requests'],
  },
  'refuses-mixed-dates': {
    severity: 'error',
    asks: '`from` and `until` of different granularities are answered with `badArgument`.',
    remedy: 'Refuse a day beside a time.',
    sources: ['OAI-PMH: §2.7.1', 'OAI-PMH: §3.3.1', 'zimeon: granularities'],
  },
  'refuses-fine-dates': {
    severity: 'error',
    asks: 'Dates finer than the granularity that is stated are answered with `badArgument`.',
    remedy: 'State seconds as the granularity, or refuse times.',
    sources: ['OAI-PMH: §3.3.1', 'OAI-PMH: §2.7.1'],
  },
  'refuses-reversed-dates': {
    severity: 'error',
    asks: 'A `from` later than `until` is answered with `badArgument`.',
    remedy: 'Answer with `badArgument`, not with an empty list.',
    sources: ['OAI-PMH: §2.7.1'],
  },
  'refuses-company': {
    severity: 'error',
    asks: '`resumptionToken` beside another argument is answered with `badArgument`.',
    remedy: 'Refuse it: the token stands alone with the verb.',
    sources: ['OAI-PMH: §3.6', 'OAI-PMH: §4.5', 'zimeon: bad requests'],
  },
  'refuses-token': {
    severity: 'error',
    asks: 'A token that the endpoint did not issue is answered with `badResumptionToken`.',
    remedy: 'Answer with `badResumptionToken`, so that harvesters begin the list again.',
    sources: ['OAI-PMH: §3.6', 'zimeon: bad requests'],
  },
  'refuses-identifier': {
    severity: 'error',
    asks: 'An identifier that does not exist is answered with `idDoesNotExist`.',
    remedy: 'Answer with `idDoesNotExist`; for one that is no URI `badArgument` will do.',
    sources: ['OAI-PMH: §3.6', 'OAI-PMH: §4.1', 'zimeon: bad requests'],
  },
  'refuses-format': {
    severity: 'error',
    asks: 'A metadata format that is not offered is answered with `cannotDisseminateFormat`.',
    remedy: 'Answer so in GetRecord and in lists.',
    sources: ['OAI-PMH: §3.6', 'OAI-PMH: §4.5'],
  },
  'refuses-empty': {
    severity: 'error',
    asks: 'A list without records is answered with `noRecordsMatch`.',
    remedy: 'Answer with `noRecordsMatch`, neither with an empty list nor with another error.',
    sources: ['OAI-PMH: §3.6', 'zimeon: until before earliestDatestamp'],
  },
  'refuses-set': {
    severity: 'error',
    asks: 'A set that does not exist is answered with `noRecordsMatch`, `badArgument` or `noSetHierarchy`.',
    remedy:
      'Answer with `noRecordsMatch` (or `noSetHierarchy` if there are no sets); never with all records.',
    sources: ['OAI-PMH: §3.6', 'harvesters: b2share#116, dataverse#3284'],
  },
} as const satisfies CheckGroup;
