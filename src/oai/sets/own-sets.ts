/** A set that is configured here, as a set of OAI-PMH; absent conditions do not restrict. */
export interface OwnSet {
  readonly name: string;
  /** For people. */
  readonly title: string;
  readonly formats?: readonly string[] | undefined;
  /** Collections with everything below them (`a` has what is in `a:b`); `a*` is every one whose name begins so. */
  readonly collections?: readonly string[] | undefined;
}

/** As no repository calls a set of its own: `sets.theses`. */
export function ownSetSpec({ name }: Pick<OwnSet, 'name'>): string {
  return `sets.${name}`;
}

export function isInOwnSet(
  { formats, collections }: OwnSet,
  record: { readonly format: string; readonly collections: readonly string[] },
): boolean {
  if (formats && !formats.includes(record.format)) return false;
  if (!collections) return true;
  return collections.some((spec) => {
    const beginning = spec.endsWith('*') ? spec.slice(0, -1) : undefined;
    return record.collections.some((own) =>
      beginning === undefined ? own === spec || own.startsWith(`${spec}:`) : own.startsWith(beginning),
    );
  });
}

/** The same text as long as they mean the same, whatever they are called for people. */
export function definitionOfSets(sets: readonly OwnSet[]): string {
  const parts = sets.map(({ name, formats, collections }) => ({ name, formats, collections }));
  return JSON.stringify(parts.sort((a, b) => (a.name < b.name ? -1 : 1)));
}

/** The setSpecs that a definition had. */
export function specsOfDefinition(definition: string): readonly string[] {
  return (JSON.parse(definition) as readonly Pick<OwnSet, 'name'>[]).map(ownSetSpec);
}
