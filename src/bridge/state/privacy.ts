import { tokensOf } from '../../core/access/access-schema.ts';
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
  return {
    names: () => Object.keys(config.sources).filter((name) => config.sources[name]?.access !== undefined),
    of: (source) => {
      const settings = Object.hasOwn(config.sources, source) ? config.sources[source] : undefined;
      if (settings) return settings.access && (known.get(settings) ?? read(settings));
      if (ours.has(source) || jointSets().some(({ path }) => path.split('/', 1)[0] === source))
        return undefined;
      return isMarkedPrivate(primaryOf(database), source).then((isPrivate) =>
        isPrivate ? closed : undefined,
      );
    },
  };

  function read(settings: SourceConfig): PrivateParts {
    const hashes = new Set(tokensOf(settings.access ?? {}).map(hashOf));
    const parts = { hashes };
    known.set(settings, parts);
    return parts;
  }
}

/** The tokens of its configuration went with it. */
const closed: PrivateParts = { hashes: new Set() };

/** Addresses of the bridge itself, where no source is configured that is called so. */
const ours = new Set([...reservedNames, ...pageNames, 'robots.txt']);
