import { setsXml } from '../../oai/lists.ts';
import { OaiRefusal } from '../../oai/protocol.ts';
import { noSets, nothingLeft } from '../../oai/refusals.ts';
import { type SetPlace, writeToken } from '../../oai/resumption-token.ts';
import { expiryOf } from './expiry.ts';
import type { OaiRepository } from './repository.ts';

/** In one answer as long as that is possible at all: many clients read the first one alone. */
export const setsPerAnswer = 10_000;

export async function answerSets(
  repository: OaiRepository,
  place: SetPlace | undefined,
): Promise<Iterable<string>> {
  const { journal, secret } = repository;
  const { sets, next } = await repository.sets(place?.after ?? '');
  if (sets.length === 0 && place) throw new OaiRefusal(nothingLeft);
  if (sets.length === 0 && !(await repository.hasSets())) throw new OaiRefusal(noSets);
  const delivered = place?.delivered ?? 0;
  const isWhole = next === undefined && !place;
  if (isWhole) return setsXml(sets, undefined);
  const rest = { verb: 'ListSets', after: next ?? '', delivered: delivered + sets.length } as const;
  return setsXml(sets, {
    token: next === undefined ? '' : writeToken(rest, { secret, journal: journal.id }),
    expiresAt: expiryOf(journal.at),
    cursor: delivered,
    // Nobody counts them all for one page.
    total: undefined,
  });
}
