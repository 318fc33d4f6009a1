import type { Config } from '../../core/config/config.ts';
import { adminEmailOf, offeredOai } from '../../core/config/oai-schema.ts';
import type { OaiOffer } from '../../server/deps.ts';

/** How a source answers OAI-PMH, by the configuration as it is whenever somebody asks; undefined: it does not. */
export function oaiOfferOf({ sources, contact }: Config, name: string): OaiOffer | undefined {
  const source = Object.hasOwn(sources, name) ? sources[name] : undefined;
  const offered = source && offeredOai(source.oai);
  const adminEmail = adminEmailOf(offered?.adminEmail, source?.contact, contact);
  if (!source || !offered || adminEmail === undefined) return undefined;
  const others = Object.entries(sources).filter(
    // Who harvests this one need not know of those that are not for everybody.
    ([other, { oai, access }]) => other !== name && access === undefined && offeredOai(oai),
  );
  return {
    adminEmail,
    name: offered.name ?? source.title,
    namespace: offered.namespace,
    rights: offered.rights,
    friends: others.slice(0, mostFriends).map(([other]) => other),
  };
}

/** Of very many sources nobody follows them all. */
const mostFriends = 100;
