import { type NamedSet, type PageEnd, setsXml } from '../../oai/lists.ts';
import { OaiRefusal } from '../../oai/protocol.ts';
import { noSets, nothingLeft } from '../../oai/refusals.ts';
import { type SetPlace, writeToken } from '../../oai/resumption-token.ts';
import { ancestorsOf, toSetSpec } from '../../oai/set-spec.ts';
import type { Queryable } from '../../store/engine/database.ts';
import { listCollections } from '../../store/sources/collections.ts';
import { expiryOf } from './expiry.ts';
import type { OaiDeps } from './oai-deps.ts';
import type { OaiRepository } from './repository.ts';

/** In one answer as long as that is possible at all: many clients read the first one alone. */
const setsPerAnswer = 10_000;
const mostSets = 500_000;

export async function answerSets(
  { database }: Pick<OaiDeps, 'database'>,
  { source, journal, secret }: OaiRepository,
  place: SetPlace | undefined,
): Promise<Iterable<string>> {
  const sets = await namedSets(database.reader, source);
  if (sets.length === 0) throw new OaiRefusal(noSets);
  const rest = place ? sets.filter(({ spec }) => spec > place.after) : sets;
  const shown = rest.slice(0, setsPerAnswer);
  const last = shown.at(-1);
  const delivered = place?.delivered ?? 0;
  if (!last) throw new OaiRefusal(nothingLeft);
  const more = rest.length > shown.length;
  const next = { verb: 'ListSets', after: last.spec, delivered: delivered + shown.length } as const;
  const end: PageEnd | undefined =
    more || place
      ? {
          token: more ? writeToken(next, { secret, journal: journal.id }) : '',
          expiresAt: expiryOf(journal.at),
          cursor: delivered,
          total: sets.length,
        }
      : undefined;
  return setsXml(shown, end);
}

/** Collections, and what is above them without being one itself, in the order of their specs. */
async function namedSets(db: Queryable, source: string): Promise<readonly NamedSet[]> {
  const sets = new Map<string, string>();
  const collections = await listCollections(db, source, mostSets);
  for (const { spec, name } of collections) sets.set(toSetSpec(spec), name || spec);
  for (const spec of [...sets.keys()])
    for (const ancestor of ancestorsOf(spec)) if (!sets.has(ancestor)) sets.set(ancestor, ancestor);
  return [...sets].map(([spec, name]) => ({ spec, name })).sort((a, b) => (a.spec < b.spec ? -1 : 1));
}

export async function hasSets(db: Queryable, source: string): Promise<boolean> {
  return (await listCollections(db, source, 1)).length > 0;
}
