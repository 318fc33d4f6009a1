import { isObject } from '../../core/config/schema-faults.ts';

/** Where the value of a setting comes from. What has none has its default. */
export interface Origin {
  readonly from: 'file' | 'environment' | 'flag';
  /** The path of the file, the name of the variable, `--port`. */
  readonly place: string;
  /** What a file says instead of the value: `${VARIABLE}`, or the path of another file. */
  readonly through?: string | undefined;
}

/** By dotted path, of what is no mapping. */
export type Origins = ReadonlyMap<string, Origin>;

const known = new WeakMap<object, Origins>();

/** Of a configuration as it was loaded. */
export function originsOf(config: object): Origins {
  return known.get(config) ?? new Map();
}

export function setOrigins<Loaded extends object>(config: Loaded, origins: Origins): Loaded {
  known.set(config, origins);
  return config;
}

/** What stands at each place of a tree; a list is one value. */
export function* leaves(
  value: unknown,
  path: readonly string[] = [],
): Generator<readonly [path: readonly string[], value: unknown]> {
  if (isObject(value) && Object.keys(value).length > 0) {
    for (const [key, inner] of Object.entries(value)) yield* leaves(inner, [...path, key]);
  } else if (value !== undefined && path.length > 0) yield [path, value];
}

/** The origin of a setting, or of one within it or around it: a mapping may come from several places. */
export function originAt(origins: Origins, path: string): Origin | undefined {
  for (let place = path; place !== ''; place = place.slice(0, Math.max(0, place.lastIndexOf('.')))) {
    const origin = origins.get(place);
    if (origin) return origin;
  }
  for (const [place, origin] of origins) if (place.startsWith(`${path}.`)) return origin;
  return undefined;
}

/** Of what lies below a place, by paths that begin there. */
export function originsBelow(origins: Origins, place: string): Origins {
  const prefix = `${place}.`;
  const below = [...origins].filter(([path]) => path.startsWith(prefix));
  return new Map(below.map(([path, origin]) => [path.slice(prefix.length), origin]));
}
