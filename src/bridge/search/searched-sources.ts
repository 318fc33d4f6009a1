import type { Config } from '../../core/config/config.ts';
import type { SearchedSources } from '../../server/deps.ts';

/** Of the configuration as it is whenever somebody asks. What is not configured is served to nobody. */
export function searchedSources(config: Config): SearchedSources {
  return {
    has: (name) =>
      config.search && Object.hasOwn(config.sources, name) && config.sources[name]?.search === true,
  };
}
