import { toIso } from '../../core/datetime.ts';
import type { SharedSource } from '../../server/deps.ts';
import { primaryOf } from '../../store/admin/primary.ts';
import { createShareLink, findShareLink } from '../../store/alerts/share-links.ts';
import type { StoredBridge } from '../stored-bridge.ts';
import { readSharedSources, type SharedSources } from './shared-sources.ts';

/** A new link to how a source is, for a message. */
export type LinkOf = (of: { source: string; contact: string; message: string }) => Promise<string>;

export function sharedLinks({
  config,
  database,
  clock,
}: Pick<StoredBridge, 'config' | 'database' | 'clock'>): LinkOf {
  return async (of) => `${config.baseUrl}/share/${await createShareLink(database, of, toIso(clock.now()))}`;
}

/** Everything is read at once: who follows a link again and again is not to have that done each time. */
const freshMs = 5000;
const shownProblems = 100;

/** What a link shows, to whoever has it: one source. */
export function sharedByLink(bridge: StoredBridge): (secret: string) => Promise<SharedSource | undefined> {
  let last: { readonly at: number; readonly sources: Promise<SharedSources> } | undefined;
  return async (secret) => {
    const { database, clock, config } = bridge;
    const at = clock.now().getTime();
    const name = await findShareLink(primaryOf(database), database, secret, toIso(new Date(at)));
    if (name === undefined || !Object.hasOwn(config.sources, name)) return undefined;
    if (!last || Math.abs(at - last.at) > freshMs) {
      const sources = readSharedSources(bridge, at);
      last = { at, sources };
      sources.catch(() => {
        last = undefined;
      });
    }
    return (await last.sources)(name, shownProblems);
  };
}
