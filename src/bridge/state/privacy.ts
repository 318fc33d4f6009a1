import { tokensOf } from '../../core/access/access-schema.ts';
import { hiddenCollections, privateSetOf, privateSourceName } from '../../core/access/private-sets.ts';
import type { Config, SourceConfig } from '../../core/config/config.ts';
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
  let named: Named | undefined;
  return {
    names: () => namedBy(config).hidden,
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
    divided: () => namedBy(config).divided,
  };

  /** Asked with each request, of hundreds of sources. */
  function namedBy({ sources }: Pick<Config, 'sources'>): Named {
    if (named?.of === sources) return named;
    const names = Object.keys(sources);
    named = {
      of: sources,
      hidden: names.filter((name) => sources[name]?.access !== undefined),
      divided: names.filter((name) => hiddenCollections(sources[name] ?? {}).length > 0),
    };
    return named;
  }

  function read(source: string, settings: SourceConfig): PrivateParts {
    const hashes = new Set(tokensOf(settings.access ?? {}).map(hashOf));
    const part = privateSetOf(config.sources, source);
    const parts = { hashes, ...(part && { alias: `${part.source}/${part.set}` }) };
    known.set(settings, parts);
    return parts;
  }
}

/** By one configuration. */
interface Named {
  readonly of: object;
  readonly hidden: readonly string[];
  readonly divided: readonly string[];
}

const ownSet = /^([a-z0-9-]+)\/sets\/([a-z0-9-]+)(?:\/|$)/;

/** The tokens of its configuration went with it. */
const closed: PrivateParts = { hashes: new Set() };

/** Addresses of the bridge itself, where no source is configured that is called so. */
const ours = new Set([...reservedNames, ...pageNames, 'robots.txt']);
