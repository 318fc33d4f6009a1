import type { MappedItem } from './mapping.ts';

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

/** A delivery as if the repository did not have what was withdrawn. */
export function withoutWithdrawn(item: MappedItem, withdrawn: Withdrawn | undefined): MappedItem {
  if (!withdrawn) return item;
  const { whole, paths, formats, urls } = withdrawn;
  if (whole)
    return { ...item, deleted: true, resources: [], files: [], ...(item.versions && { versions: [] }) };
  return {
    ...item,
    resources: item.resources.filter(({ path }) => !paths.has(path)),
    files: item.files.filter(({ url }) => !urls.has(url)),
    ...(item.versions && {
      versions: item.versions.map((version) => ({
        ...version,
        metadata: version.metadata.filter(({ format }) => !formats.has(format)),
        files: version.files.filter(({ url }) => !urls.has(url)),
      })),
    }),
  };
}
