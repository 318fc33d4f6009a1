import type { CheckGroup } from './check.ts';

/** What an endpoint says of itself. */
export const identifyChecks = {
  'identify-answers': {
    severity: 'error',
    asks: '`Identify` is answered by an `Identify` element.',
    remedy: 'Make sure that this is the base URL of an OAI-PMH endpoint, and that its server works.',
    sources: ['OAI-PMH: §4.2', 'zimeon: Identify', 'OVAL: GET'],
  },
  'identify-version': {
    severity: 'error',
    asks: '`protocolVersion` is `2.0`.',
    remedy: 'Write 2.0; nobody harvests earlier versions any more.',
    sources: ['OAI-PMH: §4.2', 'zimeon: protocolVersion'],
  },
  'identify-admin-email': {
    severity: 'error',
    asks: '`adminEmail` is an e-mail address of a real domain, without `mailto:`.',
    remedy:
      'State an address that somebody reads: aggregators write there, and validators send their report.',
    sources: ['OAI-PMH: §4.2', 'zimeon: adminEmail'],
  },
  'identify-base-url': {
    severity: 'error',
    asks: '`baseURL` is the address that was asked, character by character.',
    remedy:
      'Give aggregators the address that `baseURL` states, or correct `baseURL` (http or https, the slash at the end).',
    sources: ['OAI-PMH: §4.2', 'zimeon: baseURL', 'CRIS: baseURL'],
  },
  'identify-granularity': {
    severity: 'error',
    asks: '`granularity` is `YYYY-MM-DD` or `YYYY-MM-DDThh:mm:ssZ`, written exactly so.',
    remedy: 'Write one of the two.',
    sources: ['OAI-PMH: §4.2', 'zimeon: granularity'],
  },
  'identify-earliest': {
    severity: 'error',
    asks: '`earliestDatestamp` is a date at the granularity that is stated.',
    remedy: 'Write it as a day, or with seconds and `Z`, as `granularity` says.',
    sources: ['OAI-PMH: §4.2', 'zimeon: earliestDatestamp'],
  },
  'identify-earliest-credible': {
    severity: 'warning',
    asks: '`earliestDatestamp` lies after 1990 and before now.',
    remedy:
      'State the datestamp of the oldest record: aggregators refuse 1970, and harvest by month from there on.',
    sources: ['harvesters: metha', 'harvesters: BnF'],
  },
  'identify-earliest-bound': {
    severity: 'error',
    asks: 'No record has a datestamp before `earliestDatestamp`.',
    remedy: 'State the datestamp of the oldest record: who harvests from there on misses what is older.',
    sources: ['OAI-PMH: §4.2'],
  },
  'identify-deleted-record': {
    severity: 'error',
    asks: '`deletedRecord` is `no`, `transient` or `persistent`.',
    remedy: 'Write one of the three.',
    sources: ['OAI-PMH: §2.5.1', 'OAI-PMH: §4.2'],
  },
  'identify-compression': {
    severity: 'error',
    asks: '`compression` names codings other than `identity`.',
    remedy: 'Name `gzip` or `deflate`, or nothing: `identity` goes without saying.',
    sources: ['OAI-PMH: §3.1.3'],
  },
  'http-compression': {
    severity: 'warning',
    asks: 'Who accepts gzip gets it, if `compression` names it.',
    remedy: 'Switch compression on for `text/xml`, or take `gzip` out of `Identify`.',
    sources: ['OAI-PMH: §3.1.3', 'CRIS: compression'],
  },
  'identify-oai-identifier': {
    severity: 'error',
    asks: 'There is at most one `oai-identifier` description, with its own `xmlns` and a domain as `repositoryIdentifier`.',
    remedy:
      'Declare `xmlns="http://www.openarchives.org/OAI/2.0/oai-identifier"` on the element; use a domain of yours, or leave the description out.',
    sources: ['guidelines: oai-identifier', 'zimeon: oai-identifier', 'CRIS: oai-identifier'],
  },
  'identify-oai-identifier-used': {
    severity: 'warning',
    asks: 'Identifiers of records begin with `oai:` and the `repositoryIdentifier`, if one is described.',
    remedy: 'Correct `repositoryIdentifier`, or leave the description out.',
    sources: ['guidelines: oai-identifier'],
  },
  'post-identify': {
    severity: 'error',
    asks: '`Identify` by POST is answered as by GET.',
    remedy: 'Read the arguments of a form (`application/x-www-form-urlencoded`) too; let proxies pass POST.',
    sources: ['OAI-PMH: §3.1.1', 'zimeon: POST', 'OVAL: POST', 'harvesters: pyoai'],
  },
  'post-get-record': {
    severity: 'error',
    asks: '`GetRecord` by POST is answered as by GET.',
    remedy: 'Read the arguments of a form (`application/x-www-form-urlencoded`) too; let proxies pass POST.',
    sources: ['OAI-PMH: §3.1.1', 'zimeon: POST'],
  },
} as const satisfies CheckGroup;
