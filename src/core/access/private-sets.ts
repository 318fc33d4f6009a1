/** What the configuration of a source says that may have private sets. */
export interface Divisible {
  readonly title?: string | undefined;
  readonly collections?: readonly string[] | undefined;
  readonly sets?: Readonly<Record<string, DivisibleSet>> | undefined;
  readonly dumps?: readonly string[] | undefined;
  readonly mirrors?: unknown;
  readonly access?: object | undefined;
}

export interface DivisibleSet {
  readonly title?: string | undefined;
  readonly collections?: readonly string[] | undefined;
  /** There at all: the set is not for everybody. */
  readonly access?: object | undefined;
}

/** Which source has which private set. */
export interface PartOf {
  readonly source: string;
  readonly set: string;
}

/** What a private set is served as: a private source of its own, so that nothing of it is at an address of a public one. */
export function privateSourceName({ source, set }: PartOf): string {
  return `${source}-${set}`;
}

/** The collections whose items a public source does not show, sorted, each once. */
export function hiddenCollections({ sets = {} }: Pick<Divisible, 'sets'>): readonly string[] {
  const all = Object.values(sets).flatMap(({ access, collections = [] }) => (access ? collections : []));
  return [...new Set(all)].sort();
}

/** Whether one of an item's collections is one of these, or below one of them. */
export function isInAny(collections: readonly string[], chosen: readonly string[]): boolean {
  return collections.some((spec) => chosen.some((one) => spec === one || spec.startsWith(`${one}:`)));
}

/** A configuration's sources with a private one for each private set, which reads the collections of the set. */
export function withPrivateSets<Source extends Divisible>(
  sources: Readonly<Record<string, Source>>,
): Record<string, Source> {
  const parts = Object.entries(sources).flatMap(([name, source]) =>
    Object.entries(source.sets ?? {}).flatMap(([set, choice]) =>
      choice.access === undefined
        ? []
        : [[privateSourceName({ source: name, set }), partOf(name, source, set, choice)] as const],
    ),
  );
  return parts.length === 0 ? sources : { ...sources, ...Object.fromEntries(parts) };
}

function partOf<Source extends Divisible>(
  name: string,
  source: Source,
  set: string,
  { title, collections, access }: DivisibleSet,
): Source {
  // Copies elsewhere have nothing that is private.
  const { sets, mirrors, dumps = [], ...rest } = source;
  const own = dumps.filter((dumped) => dumped === 'all' || dumped === 'metadata');
  return {
    ...rest,
    title: title ?? `${source.title ?? name}: ${set}`,
    collections,
    access,
    dumps: dumps.includes(set) && !own.includes('all') ? ['all', ...own] : own,
  } as unknown as Source;
}

const known = new WeakMap<object, ReadonlyMap<string, PartOf>>();

/** Which private set a source is; undefined: none. @param sources of a configuration, as it is in force */
export function privateSetOf(sources: Readonly<Record<string, Divisible>>, name: string): PartOf | undefined {
  const parts =
    known.get(sources) ??
    new Map(
      Object.entries(sources).flatMap(([source, { sets = {} }]) =>
        Object.entries(sets).flatMap(([set, { access }]) =>
          access === undefined ? [] : [[privateSourceName({ source, set }), { source, set }] as const],
        ),
      ),
    );
  known.set(sources, parts);
  return parts.get(name);
}
