import type { Database, Queryable } from '../engine/database.ts';

/** Something that is known of the installation, since a moment in milliseconds. */
export interface InstallationFact {
  readonly value: string;
  readonly at: number;
}

/**
 * `backup`: of the database, where it went. `backup-failed`: the latest that could not be made, and why. `alerts`: the last round of alerts, and when something was told last. `digest`: when
 * those who look after the sources were told last, or that began. `went-back`: a backup was put back, and what happened after it, and may
 * have been published, is not known any more.
 */
export type FactName = 'backup' | 'backup-failed' | 'alerts' | 'digest' | 'went-back';

export async function readFact(db: Queryable, name: FactName): Promise<InstallationFact | undefined> {
  const row: InstallationFact | undefined = await db('installation_fact')
    .where({ name })
    .first('value', 'at');
  return row;
}

export async function writeFact(
  { writer }: Pick<Database, 'writer'>,
  name: FactName,
  { value, at }: InstallationFact,
): Promise<void> {
  await writer('installation_fact').insert({ name, value, at }).onConflict('name').merge();
}
