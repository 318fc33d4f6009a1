import type { RepositoryInfo } from '../../core/adapter.ts';
import { toIso } from '../../core/datetime.ts';
import { offeredFormats } from '../../oai/formats.ts';
import type { OfferedFormat } from '../../oai/lists.ts';
import { readTokenSecret } from '../../store/oai/token-secret.ts';
import { advanceJournal, type JournalState, readJournal } from '../../store/sources/journal.ts';
import { findSource } from '../../store/sources/sources.ts';
import type { OaiOffer, ServerDeps } from '../deps.ts';
import { Refusal } from '../http/errors.ts';
import { notReady } from './list-turns.ts';

/** A source as an OAI-PMH repository, at the moment of a request. */
export interface OaiRepository {
  readonly source: string;
  readonly offer: OaiOffer;
  readonly baseUrl: string;
  /** `at` is the `responseDate`: what has changed until then is read, what changes later is not dated before it. */
  readonly journal: JournalState;
  readonly info: RepositoryInfo;
  readonly formats: readonly OfferedFormat[];
  /** Of identifiers that are no URIs where they come from. */
  readonly namespace: string;
  readonly secret: string;
}

/** Opens sources as repositories; a journal's line is drawn at most once a second, however many ask. */
export function createRepositories(
  deps: Pick<ServerDeps, 'database' | 'baseUrl' | 'clock' | 'oai'>,
): (source: string) => Promise<OaiRepository> {
  let secret: Promise<string> | undefined;
  const readSecret = () => {
    secret ??= readTokenSecret(deps.database).catch((error: unknown) => {
      secret = undefined;
      throw error;
    });
    return secret;
  };
  return async (source) => {
    const offer = deps.oai?.(source);
    if (!offer) throw new Refusal('not-found', 'this source does not answer OAI-PMH here');
    const stored = await findSource(deps.database.reader, source);
    if (!stored?.info) throw notReady('nothing has been harvested from this source yet');
    const formats = offeredFormats(stored.info);
    if (!formats)
      throw new Refusal('not-found', 'this source cannot answer OAI-PMH: it has no records in oai_dc');
    return {
      source,
      offer,
      baseUrl: `${deps.baseUrl}/${source}/oai`,
      journal: await drawLine(deps, source),
      info: stored.info,
      formats,
      namespace: offer.namespace ?? new URL(deps.baseUrl).hostname,
      secret: await readSecret(),
    };
  };
}

/** The line of this very second has been drawn where the journal's clock stands at it, or is ahead. */
async function drawLine(
  { database, clock }: Pick<ServerDeps, 'database' | 'clock'>,
  source: string,
): Promise<JournalState> {
  const now = toIso(clock.now());
  const journal = await readJournal(database.reader, source);
  return journal && journal.at >= now ? journal : advanceJournal(database, source, now);
}
