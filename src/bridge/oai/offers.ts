import type { Config } from '../../core/config/config.ts';
import { isChosen } from '../../core/config/joint-sets.ts';
import { adminEmailOf, offeredJointOai, offeredOai } from '../../core/config/oai-schema.ts';
import type { JointOaiOffer, OaiOffer } from '../../server/deps.ts';

/** How a source answers OAI-PMH, by the configuration as it is whenever somebody asks; undefined: it does not. */
export function oaiOfferOf({ sources, contact }: Config, name: string): OaiOffer | undefined {
  const source = Object.hasOwn(sources, name) ? sources[name] : undefined;
  const offered = source && offeredOai(source.oai);
  const adminEmail = adminEmailOf(offered?.adminEmail, source?.contact, contact);
  if (!source || !offered || adminEmail === undefined) return undefined;
  return {
    adminEmail,
    name: offered.name ?? source.title,
    namespace: offered.namespace,
    rights: offered.rights,
    icon: offered.icon,
    sets: ownSetsOf(source),
    // Of many sources they are looked for only where somebody asks for them.
    get friends() {
      return openOffers(sources)
        .filter((other) => other !== name)
        .slice(0, mostFriends);
    },
  };
}

/** The sets of a source that are configured, and for everybody who reads it: a private one is a source of its own. */
function ownSetsOf({ sets = {} }: Config['sources'][string]): NonNullable<OaiOffer['sets']> {
  return Object.entries(sets).flatMap(([name, { title = name, formats, collections, access }]) =>
    access === undefined ? [{ name, title, formats, collections }] : [],
  );
}

/** All sources as one repository; undefined: that is not configured. */
export type JointOffers = () => JointOaiOffer | undefined;

/** Made once for each configuration: of 800 sources they are not to be gone through for each request. */
export function createJointOffers(config: Config): JointOffers {
  let known: { readonly of: Config['sources']; readonly offer: JointOaiOffer | undefined } | undefined;
  return () => {
    if (known?.of !== config.sources) known = { of: config.sources, offer: jointOffer(config) };
    return known.offer;
  };
}

function jointOffer({ oai, sources, contact, title }: Config): JointOaiOffer | undefined {
  const settings = offeredJointOai(oai);
  if (!settings) return undefined;
  const adminEmail = adminEmailOf(settings.adminEmail, contact);
  if (adminEmail === undefined) return undefined;
  const members = Object.entries(sources)
    // What is for everybody names nothing that is not.
    .filter(([name, { access, group }]) => access === undefined && isChosen(settings, name, group))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    adminEmail,
    name: settings.name ?? title,
    rights: settings.rights,
    icon: settings.icon,
    sources: new Map(
      members.map(([name, source]) => {
        const namespace = offeredOai(source.oai)?.namespace;
        return [name, { title: source.title ?? name, namespace }];
      }),
    ),
    friends: openOffers(sources).slice(0, mostFriends),
  };
}

/** Who harvests one of them need not know of those that are not for everybody. */
function openOffers(sources: Config['sources']): readonly string[] {
  return Object.entries(sources).flatMap(([name, { oai, access }]) =>
    access === undefined && offeredOai(oai) ? [name] : [],
  );
}

/** Of very many sources nobody follows them all. */
const mostFriends = 100;
