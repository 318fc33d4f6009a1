import type { RepositoryInfo } from '../../core/adapter.ts';
import { suggest } from '../../core/config/suggestion.ts';
import { describeError, isBridgeError } from '../../core/errors.ts';
import type { HarvestSource } from '../../harvest/harvest-source.ts';

export interface SetFault {
  readonly set: string;
  readonly message: string;
}

/** What the configured sets of a source name that the repository does not have; asks it for its collections. */
export async function* findSetFaults(
  { name, config, adapter }: HarvestSource,
  info: RepositoryInfo,
  signal: AbortSignal,
): AsyncGenerator<SetFault> {
  const sets = Object.entries(config.sets ?? {});
  const published = info.formats.filter(({ selected }) => selected).map((format) => format.name);
  for (const [set, { formats = [] }] of sets) {
    for (const format of formats.filter((candidate) => !published.includes(candidate))) {
      const path = `${name}/sets/${set}`;
      yield { set: path, message: `"${format}" is not published${suggest(format, published)}` };
    }
  }
  const wanted = new Set(sets.flatMap(([, { collections = [] }]) => collections));
  if (wanted.size === 0) return;
  const known: string[] = [];
  try {
    for await (const { spec } of adapter.collections(signal)) {
      known.push(spec);
      for (const candidate of wanted)
        if (spec === candidate || spec.startsWith(`${candidate}:`)) wanted.delete(candidate);
    }
  } catch (error) {
    if (!isBridgeError(error)) throw error;
    yield { set: name, message: `its collections could not be listed: ${describeError(error)}` };
    return;
  }
  for (const [set, { collections = [] }] of sets) {
    for (const spec of collections.filter((candidate) => wanted.has(candidate))) {
      const near = known.length === 0 ? '; it lists none' : suggest(spec, known.slice(0, 1000));
      yield { set: `${name}/sets/${set}`, message: `the repository has no collection "${spec}"${near}` };
    }
  }
}
