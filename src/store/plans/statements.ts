import type { FileOrigin, SourceFile } from '../../core/adapter.ts';
import { counts, type FileRules, type SeenFile, type StatedFile } from '../../core/files/published-files.ts';
import type { MappedItem } from '../../core/mapping/mapping.ts';

/** What is known of the statements about an item's files. */
export interface KnownStatements {
  /** What its origins state, whether it is published or not. */
  readonly files: readonly StatedFile[];
  /** The origin of rank 0 that has spoken of it, be it that it has none. */
  readonly ownList: FileOrigin | undefined;
}

/** What an origin states now. */
export interface Restated {
  readonly origin: FileOrigin;
  readonly files: readonly SourceFile[];
  /** Names of the origins whose statements go. */
  readonly replaces: readonly string[];
}

export interface Statements extends KnownStatements {
  /** Undefined: as before. */
  readonly restated: Restated | undefined;
  /** URLs of which the origin says something else than before. */
  readonly reasked: ReadonlySet<string>;
  /** Those of them of which it states another hash. */
  readonly rehashed: ReadonlySet<string>;
}

/**
 * What is stated after a delivery. The repository's own list (rank 0) replaces what anybody else has said, and
 * nobody's guess comes beside it; every other origin speaks for itself.
 */
export function restate(
  known: KnownStatements | undefined,
  { speaksFor: { files: origin }, files }: Pick<MappedItem, 'speaksFor' | 'files'>,
  rules: Partial<Pick<FileRules, 'mode' | 'from' | 'retired'>>,
): Statements {
  const before = known?.files ?? [];
  const ownList = known?.ownList && counts(known.ownList, rules) ? known.ownList : undefined;
  const isGuess = ownList !== undefined && origin !== undefined && origin.rank > 0;
  // Without files nothing is read of what is stated, and nothing is written.
  const isOfNoAccount = rules.mode === 'none' || (isGuess && origin.name !== ownList.name);
  if (!origin || isOfNoAccount)
    return { files: before, ownList, restated: undefined, reasked: nothing, rehashed: nothing };
  const isReplaced = (name: string) =>
    origin.rank === 0 || name === origin.name || rules.retired?.includes(name) === true;
  const names = new Set([origin.name, ...before.map((file) => file.origin.name)]);
  if (known?.ownList) names.add(known.ownList.name);
  const replaces = [...names].filter(isReplaced);
  const own = before.filter((file) => file.origin.name === origin.name);
  const isSame =
    isSameStatement(own, files, origin) &&
    replaces.every((name) => name === origin.name) &&
    (known?.ownList?.name === origin.name) === (origin.rank === 0);
  return {
    files: [
      ...before.filter((file) => !isReplaced(file.origin.name)),
      ...files.map((file) => ({ ...file, origin })),
    ],
    ownList: origin.rank === 0 ? origin : undefined,
    restated: isSame ? undefined : { origin, files, replaces },
    reasked: restatedUrls(own, files, (earlier, file) => !isSameDescription(earlier, file)),
    rehashed: restatedUrls(
      own,
      files,
      (earlier, { hash }) => hash !== undefined && earlier.hash !== undefined && earlier.hash !== hash,
    ),
  };
}

const nothing: ReadonlySet<string> = new Set();

/** What was seen of a URL, as far as what is said of it now leaves it in force. */
export function withoutDoubt(seen: SeenFile | undefined, isRestated: boolean): SeenFile | undefined {
  return seen && isRestated ? { ...seen, changedAt: undefined } : seen;
}

const describedFacts = ['mediaType', 'length', 'hash', 'access', 'availableAt'] as const;

/** Whether two statements say the same of the bytes and of who may read them. */
export function isSameDescription(a: Partial<SourceFile>, b: Partial<SourceFile>): boolean {
  return describedFacts.every((fact) => a[fact] === b[fact]);
}

function restatedUrls(
  before: readonly StatedFile[],
  files: readonly SourceFile[],
  isRestated: (earlier: StatedFile, file: SourceFile) => boolean,
): ReadonlySet<string> {
  if (before.length === 0) return nothing;
  const known = new Map(before.map((file) => [file.url, file]));
  const restated = files.filter((file) => {
    const earlier = known.get(file.url);
    return earlier !== undefined && isRestated(earlier, file);
  });
  return new Set(restated.map(({ url }) => url));
}

const statedFacts = [
  'url',
  'name',
  'sequence',
  'mediaType',
  'length',
  'hash',
  'access',
  'availableAt',
  'version',
  'via',
  'lastModified',
] as const;

/** Whether an origin states what it stated before. */
export function isSameStatement(
  before: readonly StatedFile[],
  files: readonly SourceFile[],
  { rank }: FileOrigin,
): boolean {
  return (
    before.length === files.length &&
    before.every((file, index) => {
      const now = files[index];
      return now && file.origin.rank === rank && statedFacts.every((fact) => file[fact] === now[fact]);
    })
  );
}
