import type { Queryable } from '../../store/engine/database.ts';
import { readEarliest, readSomeIdentifier } from '../../store/oai/stored-record.ts';
import type { JournalState } from '../../store/sources/journal.ts';
import type { OaiRepository } from './repository.ts';

/** No record is dated before this: the first moment of the journal, or, without a change, where it stands. */
export async function earliestOf(db: Queryable, { sourceId, at }: JournalState): Promise<string> {
  return (await readEarliest(db, sourceId)) ?? at;
}

/** An identifier of the form that the description of identifiers promises; undefined: there is none. */
export async function sampleIdentifier(
  db: Queryable,
  { journal, namespace }: OaiRepository,
): Promise<string | undefined> {
  const identifier = await readSomeIdentifier(db, journal.sourceId, `oai:${namespace}:`);
  return identifier !== undefined && sample.test(identifier) ? identifier : undefined;
}

/** `sampleIdentifierType` of oai-identifier.xsd, behind the namespace. */
const sample = /^oai:[^:]+:[a-zA-Z0-9\-_.!~*'();/?:@&=+$,%]+$/;
