import { toMilliseconds } from '../../core/datetime.ts';
import type { FoundContent } from '../sinks/sink.ts';
import { isAsStated } from '../stages/as-stated.ts';
import type { DueResource } from '../state/due-resources.ts';
import type { HeldResource } from '../state/held-resources.ts';
import type { CopyingDeps } from './copying.ts';
import { obstacleOf } from './obstacle.ts';

/** Kept while files are put into the copy: where it is still there, the last run was killed. */
const mark = 'working';

type RecoveryDeps = Pick<CopyingDeps, 'database' | 'held' | 'due' | 'expected' | 'sink' | 'now'>;

/** From here on a kill may leave files behind that the state does not know of. */
export function beginWork({ database }: Pick<RecoveryDeps, 'database'>): void {
  database.keep(mark, 'yes');
  database.flush();
}

/** The state knows of everything again. */
export function endWork({ database }: Pick<RecoveryDeps, 'database'>): void {
  if (database.setting(mark) !== undefined) database.keep(mark, undefined);
}

/**
 * After a kill the copy is ahead of the state by some resources: before lists say anything new, what was due is looked for
 * where it would lie, and what was doomed where it lay. Whatever is due stays so, for nobody may have been told of it.
 */
export async function recover(deps: RecoveryDeps): Promise<void> {
  const { database, held, due, expected, sink } = deps;
  expected.recall(due, held);
  if (database.setting(mark) === undefined || !sink.takesContents) return;
  due.allUntold();
  for (let page = held.doomedAfter(0); page.length > 0; page = held.doomedAfter(page.at(-1)?.id ?? 0)) {
    for (const resource of page) {
      if ((await sink.measure(resource)) === undefined)
        held.remove(resource, resource.doomed ?? resource.asOf);
    }
  }
  for (let page = due.all(0); page.length > 0; page = due.all(page.at(-1)?.id ?? 0)) {
    for (const wanted of page) {
      const found = held.find(wanted.loc);
      if (found) await recheck(wanted, found, deps);
      else await adopt(wanted, deps);
      database.breathe();
    }
  }
  database.flush();
}

/** Its bytes may be those of now already, or others that were taken for newer ones. */
async function recheck(
  wanted: DueResource,
  found: HeldResource,
  { held, sink, now }: RecoveryDeps,
): Promise<void> {
  const there = await sink.measure(found);
  if (there === undefined) {
    held.remove(found, '');
    return;
  }
  const { loc, path, note, asOf, lastmod } = found;
  const { sha256, length } = there;
  if (found.hashes[0] === sha256) return;
  const nothing = { etag: undefined, lastModified: undefined, otherHashes: [], type: wanted.type };
  const fetchedAt = now();
  held.keep({ loc, path, note, asOf, lastmod, sha256, length, ...nothing, isProvisional: true, fetchedAt });
}

async function adopt(wanted: DueResource, { held, sink, now }: RecoveryDeps): Promise<void> {
  const { loc, asOf, type } = wanted;
  const there = await whereItCanBeSeen(sink.find(loc));
  if (there === undefined) return;
  const { path, sha256, length, modifiedMs } = there;
  const lastmod =
    wanted.lastmod !== undefined && toMilliseconds(wanted.lastmod) === modifiedMs
      ? wanted.lastmod
      : undefined;
  if (isAsStated({ hashes: [sha256], length, lastmod }, wanted) !== true) {
    sink.dropUnfinished?.(path);
    return;
  }
  const nothing = { etag: undefined, lastModified: undefined, note: undefined, otherHashes: [] };
  const facts = { loc, path, asOf, lastmod: wanted.lastmod, sha256, length, type, isProvisional: false };
  held.keep({ ...facts, ...nothing, fetchedAt: now() });
}

/** What is in the way is told when it is to be put there. */
async function whereItCanBeSeen(
  finding: Promise<FoundContent | undefined> | undefined,
): Promise<FoundContent | undefined> {
  try {
    return await finding;
  } catch (error) {
    if (obstacleOf(error) === undefined) throw error;
    return undefined;
  }
}
