import { tokensOf } from '../../core/access/access-schema.ts';
import { hiddenCollections, privateSetOf, privateSourceName } from '../../core/access/private-sets.ts';
import type { SourceConfig } from '../../core/config/config.ts';
import { pageNames, reservedNames } from '../../core/uris.ts';
import type { Privacy, PrivateParts } from '../../server/privacy.ts';
import { primaryOf } from '../../store/admin/primary.ts';
import { hashOf } from '../../store/admin/secret-text.ts';
import { isMarkedPrivate } from '../../store/sources/private-sources.ts';
import type { StoredBridge } from '../stored-bridge.ts';

/** By the configuration as it is whenever somebody asks; of what has left it, as it was then. */
export function createPrivacy({
  config,
  database,
  jointSets,
}: Pick<StoredBridge, 'config' | 'database' | 'jointSets'>): Privacy {
  const known = new WeakMap<SourceConfig, PrivateParts>();
  let divided: { readonly of: object; readonly names: readonly string[] } | undefined;
  return {
    names: () => Object.keys(config.sources).filter((name) => config.sources[name]?.access !== undefined),
    of: (source) => {
      const settings = Object.hasOwn(config.sources, source) ? config.sources[source] : undefined;
      if (settings) return settings.access && (known.get(settings) ?? read(source, settings));
      if (ours.has(source) || jointSets().some(({ path }) => path.split('/', 1)[0] === source))
        return undefined;
      return isMarkedPrivate(primaryOf(database), source).then((isPrivate) =>
        isPrivate ? closed : undefined,
      );
    },
    sourceAt: (path) => {
      const [, source = '', set = ''] = ownSet.exec(path) ?? [];
      const settings = Object.hasOwn(config.sources, source) ? config.sources[source] : undefined;
      const isPrivate = settings?.sets?.[set]?.access !== undefined;
      return isPrivate ? privateSourceName({ source, set }) : undefined;
    },
    divided: () => {
      const { sources } = config;
      if (divided?.of !== sources)
        divided = {
          of: sources,
          names: Object.keys(sources).filter((name) => hiddenCollections(sources[name] ?? {}).length > 0),
        };
      return divided.names;
    },
  };

  function read(source: string, settings: SourceConfig): PrivateParts {
    const hashes = new Set(tokensOf(settings.access ?? {}).map(hashOf));
    const part = privateSetOf(config.sources, source);
    const parts = { hashes, ...(part && { alias: `${part.source}/${part.set}` }) };
    known.set(settings, parts);
    return parts;
  }
}

const ownSet = /^([a-z0-9-]+)\/sets\/([a-z0-9-]+)(?:\/|$)/;

/** The tokens of its configuration went with it. */
const closed: PrivateParts = { hashes: new Set() };

/** Addresses of the bridge itself, where no source is configured that is called so. */
const ours = new Set([...reservedNames, ...pageNames, 'robots.txt']);
