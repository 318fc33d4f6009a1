import { type Face, type Json, typed } from './rest-json.ts';

const places: Readonly<Record<string, string>> = {
  authn: 'authn',
  authorizations: 'authz/authorizations',
  bitstreamformats: 'core/bitstreamformats',
  bitstreams: 'core/bitstreams',
  browses: 'discover/browses',
  bundles: 'core/bundles',
  collections: 'core/collections',
  communities: 'core/communities',
  discover: 'discover',
  entitytypes: 'core/entitytypes',
  epersons: 'eperson/epersons',
  features: 'authz/features',
  groups: 'eperson/groups',
  identifiers: 'pid/identifiers',
  items: 'core/items',
  properties: 'config/properties',
  relationships: 'core/relationships',
  relationshiptypes: 'core/relationshiptypes',
  sites: 'core/sites',
  statistics: 'statistics',
  versionhistories: 'versioning/versionhistories',
  versions: 'versioning/versions',
};

/** `GET /server/api`; of the sixty-odd links those which matter here. */
export function rootJson(face: Face, name: string): Json {
  const links = Object.entries(places).map(([rel, path]) => [rel, { href: `${face.api}/${path}` }]);
  return {
    dspaceUI: face.ui,
    dspaceName: name,
    dspaceServer: face.server,
    dspaceVersion: face.profile.dspaceVersion,
    ...(face.profile.crisVersion !== undefined && { crisVersion: face.profile.crisVersion }),
    ...typed(face, 'root', 'root'),
    _links: {
      ...Object.fromEntries(links),
      dso: { href: `${face.api}/dso/find{?uuid}`, templated: true },
      pid: { href: `${face.api}/pid/find{?id}`, templated: true },
      self: { href: face.api },
    },
  };
}
