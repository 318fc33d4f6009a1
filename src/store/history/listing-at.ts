import { patchRelation, type ResourceKind } from '../../core/resource.ts';
import { collectionMarks, type ResourceSet } from '../../core/resource-set.ts';
import { isPostgres } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { membersAt } from '../reading/joint-changes.ts';
import { type ResourceEntry, whereOfSet } from '../reading/listing.ts';
import { privateCollections } from '../removal/private-items.ts';
import { factOfChange } from '../rows/change-facts.ts';
import { withLinks } from '../rows/link-forms.ts';
import { sourceIdOf } from '../rows/one-source.ts';
import { parseLinks, type RepresentationRow, toRepresentation } from '../rows/representation-columns.ts';

interface RowAt extends RepresentationRow {
  readonly id: number;
  readonly path: string;
  readonly kind: ResourceKind;
  /** Null, as the rest: it was not there. */
  readonly lastmod: string | null;
  readonly links: string | null;
}

const rowsAtATime = 2000;
const facts = ['lastmod', 'media_type', 'length', 'hash'] as const;
const columns = [...facts, 'links'] as const;

/**
 * The resources as the journal tells them up to `seq`: what has not changed since is as it is, everything else as its
 * last change up to then made it. What became known of a resource without a change of it (links between records and
 * files, facts that were not known) is in `listResources` alone. Each resource comes from one statement, and what was
 * up to `seq` never changes: no snapshot has to be held, however long the reader takes.
 * @param rows that are looked at in one statement; a page has those of them that belong to the set
 */
export async function* listResourcesAt(
  db: Queryable,
  set: ResourceSet,
  seq: number,
  rows = rowsAtATime,
): AsyncGenerator<readonly ResourceEntry[]> {
  if (set.members) {
    for (const part of await membersAt(db, set, seq))
      for await (const page of listResourcesAt(db, part.member, part.seq, rows))
        yield page.map((entry) => ({ ...entry, source: part.member.source }));
    return;
  }
  const sourceId = await sourceIdOf(db, set.source);
  if (sourceId === undefined) return;
  const isMember = membershipOf(set);
  // What was in them then was not for everybody, wherever it is by now; nor are their names.
  const hidden = collectionMarks(set.source, await privateCollections(db, set.source));
  const isHidden = (links: string) => hidden.some((mark) => links.includes(mark));
  for (let after = 0; ; ) {
    const page = await readPage(db, sourceId, set, { seq, after, rows });
    await withLinks(db, page, ['links']);
    const entries = page.flatMap(({ path, kind, lastmod, links, ...row }): readonly ResourceEntry[] =>
      lastmod === null || links === null || !isMember(links) || isHidden(links)
        ? []
        : [{ path, kind, lastmod, ...toRepresentation(row), links: ownLinks(links) }],
    );
    yield entries;
    const last = page.at(-1);
    if (!last || page.length < rows) return;
    after = last.id;
  }
}

/** The last change up to a sequence; of what has changed since, or of which more is known by now. On SQLite its row is found without a second index. */
const byRow = `left join change as past on (page.last_seq > ? or page.learnt = 1) and past.rowid = (
  select rowid from change where resource_id = page.id and seq <= ? order by seq desc limit 1)`;
const lateral = `left join lateral (
  select * from change where (page.last_seq > ? or page.learnt = 1) and source_id = ? and resource_id = page.id and seq <= ? order by seq desc limit 1
) as past on true`;

async function readPage(
  db: Queryable,
  sourceId: number,
  set: ResourceSet,
  { seq, after, rows }: { readonly seq: number; readonly after: number; readonly rows: number },
): Promise<readonly RowAt[]> {
  const page = db('resource')
    .select('id', 'path', 'kind', 'last_seq', 'learnt', 'deleted_at', ...columns)
    .where('source_id', sourceId)
    // Nothing tells any more that it was there.
    .whereNull('withdrawn_at')
    .where('id', '>', after)
    .modify(whereOfSet, set)
    .orderBy('id')
    .limit(rows);
  const facts = columns.map(
    (column) => `case
      when page.last_seq > ? or page.learnt = 1 then case when past.kind <> 'deleted' then ${pastColumn(column)} end
      when page.deleted_at is null then page.${column} end as ${column}`,
  );
  const found: RowAt[] | { rows: RowAt[] } = await db.raw(
    `select page.id, page.path, page.kind, ${facts.join(', ')}
    from (?) as page
    ${isPostgres(page) ? lateral : byRow}
    left join version on past.lastmod = '' and version.source_id = ? and version.resource_id = page.id and version.seq = past.seq
    order by page.id`,
    [...columns.map(() => seq), page, ...(isPostgres(page) ? [seq, sourceId, seq] : [seq, seq]), sourceId],
  );
  return 'rows' in found ? found.rows : found;
}

/** Of the change, or of the version that it made. */
function pastColumn(column: (typeof columns)[number]): string {
  return column === 'links' ? 'past.links' : factOfChange(column, 'past');
}

/** By the links of then, before they are parsed: of a small set of a large source most rows are not in it. */
function membershipOf({ source, filter }: ResourceSet): (links: string) => boolean {
  const marks = collectionMarks(source, filter.collections ?? []);
  return (links) => marks.length === 0 || marks.some((mark) => links.includes(mark));
}

/** A patch is of the change, not of the resource (RS-LN-12). */
function ownLinks(links: string): ResourceEntry['links'] {
  const parsed = parseLinks(links);
  return links.includes(patchRelation) ? parsed.filter(({ rel }) => rel !== patchRelation) : parsed;
}
