import { type ResourceSet, resourceSets, type SetChoices, type SetFilter } from '../resource-set.ts';

/** What the configuration says about a set across sources (top-level `sets`). */
export interface JointChoice {
  readonly title?: string | undefined;
  readonly sources?: readonly string[] | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly collections?: readonly string[] | undefined;
  readonly formats?: readonly string[] | undefined;
  readonly dumps?: boolean | undefined;
}

export interface JointMember extends SetChoices {
  readonly group?: string | undefined;
}

/** Where the documents of a set across sources are: the one called `all` has the shortest address. */
export function jointPath(name: string): string {
  return name === 'all' ? 'all' : `sets/${name}`;
}

/** The name of its journal, which no source can have. */
export function jointJournal(name: string): string {
  return `sets/${name}`;
}

/**
 * The sets across sources. Each is made of one set of every source that has a part in it, which says what is of it there,
 * and by the rules of that source.
 */
export function jointSets(
  choices: Readonly<Record<string, JointChoice>>,
  sources: Readonly<Record<string, JointMember>>,
): readonly ResourceSet[] {
  return Object.entries(choices).map(([name, choice]) => {
    const path = jointPath(name);
    const { collections, formats } = choice;
    const members = Object.entries(sources).flatMap(([source, settings]) => {
      // What is for everybody names nothing that is not.
      if (settings.access !== undefined || !isChosen(choice, source, settings.group)) return [];
      const filter = filterIn(source, choice);
      const [whole] = resourceSets(source, settings);
      return whole && filter ? [{ ...whole, path, filter, dumps: false }] : [];
    });
    return {
      path,
      source: jointJournal(name),
      title: choice.title ?? (name === 'all' ? 'All sources' : name),
      filter: { collections, formats },
      dumps: choice.dumps === true,
      mirrors: [],
      mementos: 'metadata',
      members,
    };
  });
}

/** Neither named: all of them. `*` stands for any characters. */
export function isChosen(
  { sources, groups }: Pick<JointChoice, 'sources' | 'groups'>,
  source: string,
  group: string | undefined,
): boolean {
  if (!sources && !groups) return true;
  const isLike = (patterns: readonly string[] | undefined, name: string) =>
    patterns?.some((pattern) => toPattern(pattern).test(name)) === true;
  return isLike(sources, source) || (group !== undefined && isLike(groups, group));
}

function toPattern(text: string): RegExp {
  const parts = text.split('*').map((part) => part.replace(/[\\^$.+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}

/**
 * Collections are those of every source, or of one alone, as `SOURCE/SPEC`.
 * @returns undefined where all that are named are of other sources
 */
function filterIn(source: string, { collections, formats }: JointChoice): SetFilter | undefined {
  if (!collections) return { formats };
  const own = collections.flatMap((text) => {
    const slash = text.indexOf('/');
    if (slash < 0) return [text];
    return text.slice(0, slash) === source ? [text.slice(slash + 1)] : [];
  });
  return own.length === 0 ? undefined : { formats, collections: own };
}

/** Sets across sources whose part in this one is such. */
export function jointSetsWith(
  sets: readonly ResourceSet[] | undefined,
  source: string,
  isSuch: (part: ResourceSet) => boolean,
): readonly ResourceSet[] {
  return (sets ?? []).filter((set) => {
    const part = partIn(set, source);
    return part !== undefined && isSuch(part);
  });
}

/** Asked for with each resource, of 800 sources perhaps. */
function partIn({ members = [] }: ResourceSet, source: string): ResourceSet | undefined {
  const known = parts.get(members) ?? new Map(members.map((member) => [member.source, member]));
  parts.set(members, known);
  return known.get(source);
}

const parts = new WeakMap<readonly ResourceSet[], ReadonlyMap<string, ResourceSet>>();
