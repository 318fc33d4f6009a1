import { type DeclaredFormat, selectFormats } from '../endpoint/formats.ts';
import { fileRank } from '../files/index.ts';

/** One walk through the repository's list: a format, in a set or in everything. */
export interface Pass {
  readonly format: string;
  readonly collection: string | undefined;
  /** False: the format is read for the files it names, no more. */
  readonly publishes: boolean;
  readonly findsFiles: boolean;
}

export interface Selection {
  readonly formats?: readonly string[] | undefined;
  readonly collections?: readonly string[] | undefined;
  readonly files: { readonly from?: string | undefined } | undefined;
}

/** A format with what it is read for. */
export type FormatUse = Omit<Pass, 'collection'>;

/**
 * The formats of a run in their order: what knows the files comes first, so that the first links published are
 * the right ones; a format that is read for files alone comes before all.
 */
export function formatUses(declared: readonly DeclaredFormat[], selection: Selection): readonly FormatUse[] {
  const { files } = selection;
  const published = selectFormats(declared, selection.formats);
  const only = files?.from;
  const uses = published.map((format) => ({
    format,
    publishes: true,
    findsFiles: files !== undefined && (only === undefined || only === format),
  }));
  if (only !== undefined && !published.includes(only)) {
    return [{ format: only, publishes: false, findsFiles: true }, ...uses];
  }
  if (files === undefined) return uses;
  const rankOf = ({ format, findsFiles }: FormatUse) => {
    const namespace = declared.find(({ name }) => name === format)?.namespace;
    const rank = namespace === undefined ? undefined : fileRank(namespace);
    return findsFiles ? (format === only ? -1 : (rank ?? last)) : last;
  };
  return uses
    .map((use) => ({ use, rank: rankOf(use) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ use }) => use);
}

const last = Number.MAX_SAFE_INTEGER;

export function passesOf(uses: readonly FormatUse[], collections: readonly string[] = []): readonly Pass[] {
  const sets = collections.length === 0 ? [undefined] : [...new Set(collections)];
  return uses.flatMap((use) => sets.map((collection) => ({ ...use, collection })));
}

/** Published formats that come after this pass. */
export function awaitedAfter(passes: readonly Pass[], pass: Pass): readonly string[] {
  const later = passes.slice(passes.indexOf(pass) + 1);
  const formats = later.filter(({ publishes, format }) => publishes && format !== pass.format);
  return [...new Set(formats.map(({ format }) => format))];
}
