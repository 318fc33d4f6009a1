import { patchRelation } from '../../core/resource.ts';
import { whyWithheld } from '../../core/time/withheld.ts';
import type { Queryable } from '../../store/engine/database.ts';
import { findKept } from '../../store/payloads/blobs.ts';
import type { ChangeEntry } from '../../store/reading/listing.ts';
import {
  findFormerIn,
  findGivenUpIn,
  type JudgedSet,
  ruleOfEntry,
} from '../../store/reading/withheld-in-set.ts';

/**
 * Changes of which a package may have the bytes. What may not be handed out has none but its deletion (RS-CDM-09); nor
 * has what was withdrawn and is public again, of the time before, or what was another item's that is not for everybody.
 */
export async function* packableChanges(
  db: Queryable,
  set: JudgedSet,
  pages: AsyncIterable<readonly ChangeEntry[]>,
): AsyncGenerator<readonly ChangeEntry[]> {
  for await (const page of pages) {
    const open = page.filter(
      (entry) =>
        entry.change === 'deleted' ||
        whyWithheld({ deletedAt: undefined, ...entry }, ruleOfEntry(set, entry.source).ofDeleted) ===
          undefined,
    );
    yield await withoutGivenUp(db, set, await withoutFormer(db, set, open));
  }
}

async function withoutFormer(
  db: Queryable,
  set: JudgedSet,
  page: readonly ChangeEntry[],
): Promise<readonly ChangeEntry[]> {
  const paths = page.flatMap(({ kind, change, path }) =>
    kind === 'metadata' && change !== 'deleted' ? path : [],
  );
  const former = await findFormerIn(db, set, paths);
  return page.filter(({ path, hash = '' }) => !former.get(path)?.has(hash));
}

/** What is missing for another reason stays: that is damage, and is to be noticed. */
async function withoutGivenUp(
  db: Queryable,
  set: JudgedSet,
  page: readonly ChangeEntry[],
): Promise<readonly ChangeEntry[]> {
  const kept = await findKept(db, page.flatMap(hashesOf));
  const incomplete = page.filter((entry) => hashesOf(entry).some((hash) => !kept.has(hash)));
  if (incomplete.length === 0) return page;
  const givenUp = await findGivenUpIn(
    db,
    set,
    incomplete.map(({ path }) => path),
  );
  return page.flatMap((entry) => {
    if (!givenUp.has(entry.path)) return [entry];
    if (entry.hash !== undefined && !kept.has(entry.hash)) return [];
    return [
      {
        ...entry,
        links: entry.links.filter(({ rel, hash = '' }) => rel !== patchRelation || kept.has(hash)),
      },
    ];
  });
}

function hashesOf({ change, hash, links }: ChangeEntry): readonly string[] {
  if (change === 'deleted') return [];
  const patches = links.flatMap((link) => (link.rel === patchRelation ? (link.hash ?? []) : []));
  return [...(hash === undefined ? [] : [hash]), ...patches];
}
