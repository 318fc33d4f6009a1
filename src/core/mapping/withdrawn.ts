import type { MappedItem } from './mapping.ts';
import type { MappedVersion } from './prior-versions.ts';

/** What the operator has withdrawn of one item. */
export interface Withdrawn {
  /** All of it, with whatever formats and files it will ever have. */
  readonly whole: boolean;
  /** Paths of resources. */
  readonly paths: ReadonlySet<string>;
  /** Metadata formats. */
  readonly formats: ReadonlySet<string>;
  /** Where withdrawn files come from. */
  readonly urls: ReadonlySet<string>;
}

/**
 * A delivery as if the repository did not have what was withdrawn.
 * @param ofOthers by their identifiers: of items that it may have been as earlier versions
 */
export function withoutWithdrawn(
  item: MappedItem,
  withdrawn: Withdrawn | undefined,
  ofOthers: ReadonlyMap<string, Withdrawn> = new Map(),
): MappedItem {
  const versions = withoutWithdrawnItems(item.versions, ofOthers);
  const open = versions === item.versions ? item : { ...item, versions };
  if (!withdrawn) return open;
  const { whole, paths, urls } = withdrawn;
  if (whole) return { ...item, deleted: true, resources: [], files: [], ...(versions && { versions: [] }) };
  return {
    ...open,
    resources: item.resources.filter(({ path }) => !paths.has(path)),
    files: item.files.filter(({ url }) => !urls.has(url)),
    ...(versions && { versions: versions.map((version) => withoutParts(version, withdrawn)) }),
  };
}

/** Without those that are withdrawn as the items that they were. */
function withoutWithdrawnItems(
  versions: MappedItem['versions'],
  ofOthers: ReadonlyMap<string, Withdrawn>,
): MappedItem['versions'] {
  if (!versions?.some(({ identifier = '' }) => ofOthers.has(identifier))) return versions;
  return versions.flatMap((version) => {
    const own = ofOthers.get(version.identifier ?? '');
    if (own?.whole) return [];
    return own ? withoutParts(version, own) : version;
  });
}

function withoutParts(version: MappedVersion, { formats, urls }: Withdrawn): MappedVersion {
  return {
    ...version,
    metadata: version.metadata.filter(({ format }) => !formats.has(format)),
    files: version.files.filter(({ url }) => !urls.has(url)),
  };
}
