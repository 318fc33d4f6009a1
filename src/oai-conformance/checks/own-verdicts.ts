import type { CheckId } from './check-table.ts';

/** What our own endpoint gives nothing to look at for, and why; the tests of it hold this. */
const absent: Partial<Record<CheckId, string>> = {
  'http-retry-after': 'it says 503 only when it is overloaded',
  'refuses-fine-dates': 'its granularity is seconds',
  'record-deletions-stated': 'it keeps deletions',
};

/** Checks of what a record says: the records are those of the source, handed on as they are. */
const ofRecords = /^(?:dc|base|openaire|irdb|jpcoar)-/;
/** Of those, what we say ourselves. */
const ofEndpoint: readonly CheckId[] = ['base-deletions'];

/** What our own endpoint gets from a check. */
export function ownVerdictOf(check: CheckId): 'passes' | 'as its records' | `nothing to see: ${string}` {
  const reason = absent[check];
  if (reason !== undefined) return `nothing to see: ${reason}`;
  return ofRecords.test(check) && !ofEndpoint.includes(check) ? 'as its records' : 'passes';
}
