import type { Link, ResourceKind } from './resource.ts';
import { fromSegment, toSegment } from './segment.ts';
import { collectionPath } from './uris.ts';

/**
 * A set of resources in ResourceSync's sense: what one Capability List covers. The capabilities of one
 * Capability List apply uniformly to all its resources (RS-CAP-11, RS-CAP-12), therefore every source has
 * two: all its resources, and its metadata alone. More can be configured, by collection and by format.
 */
export interface ResourceSet {
  /** Path below `baseUrl` of everything the set publishes: `kyushu`, `kyushu/metadata`, `kyushu/sets/theses`. */
  readonly path: string;
  readonly source: string;
  /** For people. */
  readonly title: string;
  readonly filter: SetFilter;
  /** Whether dumps are wanted; they are offered as long as every resource can be in them (RS-CAP-11). */
  readonly dumps: boolean;
  /** Where else each resource can be had (RS-LN-03). */
  readonly mirrors: readonly Mirror[];
  /** Whose entries lead to their mementos (RS-LN-18…24); of files only those that are mirrored have any. */
  readonly mementos: 'metadata' | 'all' | 'none';
  /** Of a set across sources: its part in each of them, a set of that source. `source` is the name of its journal then. */
  readonly members?: readonly ResourceSet[] | undefined;
  /** Whether the past of metadata that was deleted is handed out (`mementos.ofDeleted`); default: it is. */
  readonly ofDeleted?: boolean | undefined;
  /** It is not for everybody, and nothing that is for everybody names it. */
  readonly isPrivate?: true | undefined;
}

/** Which of a source's resources belong to a set; absent conditions do not restrict, all others have to hold. */
export interface SetFilter {
  readonly kind?: ResourceKind | undefined;
  /** Any of these metadata formats. */
  readonly formats?: readonly string[] | undefined;
  /**
   * Any of these collections (OAI setSpecs), with everything below them (`a` has what is in `a:b`); `a*` is every one whose
   * name begins so.
   */
  readonly collections?: readonly string[] | undefined;
}

/** A copy of the publication elsewhere, e.g. one made by `rsbridge export`. */
export interface Mirror {
  /** What takes the place of `baseUrl`. */
  readonly url: string;
  /** 1–999999, smaller is preferred (RS-ATTR-17). */
  readonly pri?: number | undefined;
}

/** What the configuration of a source says about its sets. */
export interface SetChoices {
  readonly title?: string | undefined;
  readonly sets?: Readonly<Record<string, SetChoice>> | undefined;
  /** `all`, `metadata`, or the name of a configured set. */
  readonly dumps?: readonly string[] | undefined;
  readonly mirrors?: readonly Mirror[] | undefined;
  readonly mementos?:
    | { readonly links: ResourceSet['mementos']; readonly ofDeleted?: boolean | undefined }
    | undefined;
  readonly files?: { readonly mode: string } | undefined;
  /** There at all: the source is private. */
  readonly access?: object | undefined;
}

export interface SetChoice {
  /** There at all: it is a source of its own (`access/private-sets.ts`), and none of the sets of this one. */
  readonly access?: object | undefined;
  readonly title?: string | undefined;
  readonly collections?: readonly string[] | undefined;
  readonly formats?: readonly string[] | undefined;
}

export function resourceSets(source: string, choices: SetChoices = {}): readonly ResourceSet[] {
  const { title = source, sets = {}, dumps = ['metadata'], mirrors = [], files, access } = choices;
  const { links: mementos, ofDeleted } = choices.mementos ?? { links: 'metadata' as const };
  const make = (name: string, path: string, setTitle: string, filter: SetFilter): ResourceSet => ({
    path,
    source,
    title: setTitle,
    filter,
    dumps: dumps.includes(name),
    mirrors,
    mementos: mementos === 'all' && files?.mode !== 'mirror' ? 'metadata' : mementos,
    ...(ofDeleted === undefined ? {} : { ofDeleted }),
    ...(access === undefined ? {} : { isPrivate: true }),
  });
  return [
    make('all', source, title, {}),
    make('metadata', `${source}/metadata`, `${title}: metadata`, { kind: 'metadata' }),
    ...Object.entries(sets).flatMap(([name, { title: own, collections, formats, access: closed }]) =>
      closed === undefined
        ? [make(name, `${source}/sets/${name}`, own ?? `${title}: ${name}`, { collections, formats })]
        : [],
    ),
  ];
}

/** The names of the sources that a set has resources of. */
export function sourcesOf({ source, members }: Pick<ResourceSet, 'source' | 'members'>): readonly string[] {
  return members?.map((member) => member.source) ?? [source];
}

/** What a set of a source is called in the configuration: `all`, `metadata`, or its own name. */
export function nameOfSet({ path, source }: Pick<ResourceSet, 'path' | 'source'>): string {
  return path === source ? 'all' : (path.split('/').at(-1) ?? path);
}

/** What membership depends on; of a resource, or of what a change made of it. */
export interface Member {
  readonly kind: ResourceKind;
  readonly format: string;
  readonly links: readonly Link[];
}

/** Whether a set covers a resource. Membership is said by its own `collection` links, so the journal has it. */
export function covers({ kind, formats, collections }: SetFilter, member: Member, source: string): boolean {
  if (kind !== undefined && member.kind !== kind) return false;
  if (formats && !formats.includes(member.format)) return false;
  if (!collections) return true;
  const paths = collections.map((spec) => pathOf(source, spec));
  return member.links.some(
    ({ rel, href }) =>
      rel === 'collection' &&
      paths.some(({ path, isBeginning }) =>
        isBeginning ? href.startsWith(path) : href === path || href.startsWith(`${path}:`),
      ),
  );
}

function pathOf(source: string, spec: string): { readonly path: string; readonly isBeginning: boolean } {
  if (!spec.endsWith('*')) return { path: collectionPath(source, spec), isBeginning: false };
  const beginning = spec.slice(0, -1);
  const path =
    beginning === '' ? collectionPath(source, 'a').slice(0, -1) : collectionPath(source, beginning);
  return { path, isBeginning: true };
}

/** The same collections as texts, one of which is in the stored links of every member; see `covers`. */
export function collectionMarks(source: string, collections: readonly string[]): readonly string[] {
  return collections.flatMap((spec) => {
    const { path, isBeginning } = pathOf(source, spec);
    const mark = `"rel":"collection","href":${JSON.stringify(path)}`;
    return isBeginning ? [mark.slice(0, -1)] : [mark, `${mark.slice(0, -1)}:`];
  });
}

/** A filter as a text that says the same whenever it means the same. */
export function definitionOf({ kind, formats, collections }: SetFilter): string {
  const sorted = (names: readonly string[] | undefined) => names && [...new Set(names)].sort();
  return JSON.stringify({ kind, formats: sorted(formats), collections: sorted(collections)?.map(toSegment) });
}

/** The filter that a definition is of. */
export function filterOf(definition: string): SetFilter {
  const { kind, formats, collections } = JSON.parse(definition) as SetFilter;
  return { kind, formats, collections: collections?.flatMap((segment) => fromSegment(segment) ?? []) };
}
