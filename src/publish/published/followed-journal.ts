import { join } from 'node:path';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { Database } from '../../store/engine/database.ts';
import { placeInSource } from '../../store/joint/moved-sources.ts';
import { findUnkept } from '../../store/reading/listing.ts';
import { readJournal } from '../../store/sources/journal.ts';
import { readPointer } from '../disk/pointer.ts';
import { publicationRoot } from './publication.ts';

/**
 * Up to where all that is published of a journal has come. Bytes that a change behind it made, or put an end to, are
 * still to be read: packages of Change Dumps are written when their lists have closed, or days later where something
 * kept them from that, and an export takes the resources as the published lists have them.
 * @param directory the data directory
 * @param sets of one source; and those across sources with dumps that every resource can be in
 * @param source its name, where there are such
 * @returns of the source's journal; undefined where nothing is published
 */
export async function followedUpTo(
  database: Database,
  directory: string,
  sets: readonly ResourceSet[],
  source = '',
): Promise<number | undefined> {
  const places = await Promise.all(
    sets.map((set) =>
      set.members ? placeOfJoint(database, directory, set, source) : placeOf(database, directory, set),
    ),
  );
  const known = places.filter((place) => place !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

async function placeOf(database: Database, directory: string, set: ResourceSet): Promise<number | undefined> {
  const journal = await readJournal(database.reader, set.source);
  const pointer = await readPointer(join(publicationRoot(directory), ...set.path.split('/')));
  const isOfThisJournal = pointer !== undefined && pointer.journal === journal?.id;
  const listed = isOfThisJournal ? pointer.changes?.seq : undefined;
  if (!set.dumps || (await findUnkept(database.reader, set)) !== undefined) return listed;
  // Before the first package it is open with which list it begins.
  return Math.min(listed ?? 0, (isOfThisJournal ? pointer.changeDump?.seq : undefined) ?? 0);
}

/** A source that the set has not taken up is packed from its beginning. */
async function placeOfJoint(
  { reader }: Database,
  directory: string,
  set: ResourceSet,
  source: string,
): Promise<number | undefined> {
  const [joint, own] = [await readJournal(reader, set.source), await readJournal(reader, source)];
  const pointer = await readPointer(join(publicationRoot(directory), ...set.path.split('/')));
  if (!joint || !own || pointer?.journal !== joint.id) return undefined;
  const packed = pointer.changeDump?.seq ?? pointer.beganAfter ?? 0;
  const seq = Math.min(pointer.changes?.seq ?? 0, packed);
  return (await placeInSource(reader, -joint.sourceId, own.sourceId, seq)) ?? 0;
}
