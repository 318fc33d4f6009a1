import { whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { question } from '../engine/question.ts';
import { sameSource } from '../rows/one-source.ts';
import { orderedUpTo } from './record-order.ts';

/** So many changes behind what is in order are looked at; formats that come later are told of when they are in order. */
const changesLookedAt = 2000;

const anyOf = question<{ format: string }, [sourceId: number, format: string]>(2, (db, sourceId, format) =>
  db('oai_record').select('format').where({ source_id: sourceId, format, spec: '' }).limit(1),
);

/** Those of the formats of a source in which there is anything, at the cost of a look for each. */
export async function formatsInStore(
  db: Queryable,
  sourceId: number,
  formats: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const format of formats) if ((await anyOf(db, sourceId, format)).length > 0) found.add(format);
  const missing = formats.filter((format) => !found.has(format));
  if (missing.length === 0) return found;
  const ordered = await orderedUpTo(db, sourceId);
  const rows: { format: string }[] = await db('change')
    .join('resource', 'resource.id', 'change.resource_id')
    .modify(sameSource, 'resource', 'change')
    .where('change.source_id', sourceId)
    .where('change.seq', '>', ordered)
    .where('change.seq', '<=', ordered + changesLookedAt)
    .where('resource.kind', 'metadata')
    .modify((query) => whereAnyOf(query, 'resource.format', missing))
    .distinct('resource.format');
  for (const { format } of rows) found.add(format);
  return found;
}
