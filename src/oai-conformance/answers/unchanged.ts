import type { CheckId } from '../checks/check-table.ts';
import { headersOf, type RecordHeader } from './record-header.ts';
import type { Visit } from './visit.ts';

/**
 * Whether a record is as a list showed it: what was changed meanwhile is rightly elsewhere. If it was, or nobody can say,
 * the checks stay open.
 */
export async function isUnchanged(
  visit: Visit,
  { identifier, datestamp, status }: RecordHeader,
  checks: readonly CheckId[],
): Promise<boolean> {
  const query = { verb: 'GetRecord', identifier, metadataPrefix: 'oai_dc' };
  const answer = await visit.ask(query, checks);
  if (!answer) return false;
  const [now] = headersOf(answer);
  if (now?.datestamp === datestamp && now.status === status) return true;
  const reason = `${identifier} was changed meanwhile, or cannot be had`;
  for (const check of checks) visit.verdicts.leaveOpen(check, reason);
  return false;
}
