import type { CheckGroup } from './check.ts';

/** Datestamps, headers and records, whatever their format. */
export const recordChecks = {
  'date-form': {
    severity: 'error',
    asks: 'Datestamps of records are dates at the granularity that is stated.',
    remedy: 'Write all as days, or all with seconds and `Z`, without fractions.',
    sources: ['OAI-PMH: §3.3.2', 'OAI-PMH: §2.7.1', 'zimeon: GetRecord'],
  },
  'date-future': {
    severity: 'warning',
    asks: 'No datestamp is later than the `responseDate`.',
    remedy: 'Correct the clock or the time zone: who harvests until now misses these records.',
    sources: ['OAI-PMH: §2.7.1'],
  },
  'date-steady': {
    severity: 'error',
    asks: 'The datestamp of a record is when it changed, not when somebody asks.',
    remedy: 'Store the time with each change: else every harvest is a harvest of everything.',
    sources: ['OAI-PMH: §2.7.1', 'harvesters: pkp-lib#5135'],
  },
  'date-found': {
    severity: 'error',
    asks: 'A list whose `from` and `until` are the datestamp of a record holds this record.',
    remedy: 'Both bounds are inclusive, and in UTC; select by the datestamp that headers show.',
    sources: ['OAI-PMH: §2.7.1', 'zimeon: ListRecords by datestamp'],
  },
  'date-exact': {
    severity: 'error',
    asks: 'Such a list holds no record with another datestamp.',
    remedy: 'Select without slack around `from`, by the datestamp that headers show.',
    sources: ['OAI-PMH: §2.7.1', 'OVAL: granularity of seconds'],
  },
  'date-day': {
    severity: 'error',
    asks: 'A list of one day (`from` and `until` as `YYYY-MM-DD`) holds the records of this day, and no others.',
    remedy: 'A day is a granularity that every repository takes: from 00:00:00 to 23:59:59 UTC.',
    sources: ['OAI-PMH: §2.7.1', 'OAI-PMH: §3.3.1', 'OVAL: granularity of days'],
  },
  'date-early-from': {
    severity: 'error',
    asks: 'A `from` before `earliestDatestamp` is taken as any other.',
    remedy: 'Do not refuse it: harvesters begin with a date of their own.',
    sources: ['OAI-PMH: §2.7.1', 'harvesters: metha, DSpace'],
  },
  'date-late-until': {
    severity: 'error',
    asks: 'An `until` in the future is taken as any other.',
    remedy: 'Do not refuse it: clocks differ, and a day is not over.',
    sources: ['OAI-PMH: §2.7.1', 'harvesters: metha, DSpace'],
  },
  'record-get': {
    severity: 'error',
    asks: '`GetRecord` of a listed identifier answers with this record, with the header that the list showed.',
    remedy: 'Answer for every identifier that a list names, percent-encoded ones too.',
    sources: ['OAI-PMH: §4.1', 'zimeon: GetRecord'],
  },
  'record-identifier': {
    severity: 'error',
    asks: 'The identifier of a record is a URI without blanks around it.',
    remedy: 'Form identifiers as `oai:<domain>:<local name>`, percent-encoded.',
    sources: ['OAI-PMH: §2.4', 'XSD: identifierType'],
  },
  'record-metadata': {
    severity: 'error',
    asks: 'A record that is not deleted has `metadata` with exactly one element in it.',
    remedy: 'Leave records without metadata out, or mark them as deleted.',
    sources: ['OAI-PMH: §2.5', 'XSD: metadataType'],
  },
  'record-tombstone': {
    severity: 'error',
    asks: 'A deleted record is a header with `status="deleted"`, without metadata.',
    remedy: 'Write the header alone, and the status in lower case.',
    sources: ['OAI-PMH: §2.5.1', 'XSD: statusType'],
  },
  'record-deletions-stated': {
    severity: 'error',
    asks: 'Where `deletedRecord` is `no`, no record is shown as deleted.',
    remedy: 'State `transient` or `persistent` as it is.',
    sources: ['OAI-PMH: §2.5.1'],
  },
  'dc-root': {
    severity: 'error',
    asks: 'A payload of `oai_dc` is a `dc` element in the namespace of oai_dc, with nothing but the fifteen elements of Dublin Core in it.',
    remedy: 'Offer qualified and other elements in a format of their own.',
    sources: ['OAI-PMH: §5', 'OVAL: schema'],
  },
  'dc-empty': {
    severity: 'warning',
    asks: 'A payload of `oai_dc` has elements, and each has text.',
    remedy: 'Leave empty elements out.',
    sources: ['BASE: full metadata', 'guidelines: oai_dc'],
  },
} as const satisfies CheckGroup;
