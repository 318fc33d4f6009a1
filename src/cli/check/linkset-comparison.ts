import { absolute, type TypedLink } from '../../core/signposting/typed-link.ts';

/** An item as we publish it; files by the UUIDs of their bitstreams, in lower case. */
export interface PublishedItem {
  /** `10986/42650`; undefined: it has none, or we do not know it. */
  readonly handle: string | undefined;
  readonly published: ReadonlySet<string>;
  /** Known, and held back, because not everybody may read them. */
  readonly withheld: ReadonlySet<string>;
}

/** What a DSpace's own link set of an item says, beside what we publish of it. */
export interface LinksetComparison {
  /** In both. */
  readonly agreed: number;
  /** Listed there, held back here. */
  readonly withheld: number;
  /** Listed there, and neither published nor held back for a reason. */
  readonly missing: readonly string[];
  /** Published, and not listed there. */
  readonly surplus: readonly string[];
  /** Where none of the names that it is to be cited by holds our handle: those. */
  readonly otherNames: readonly string[];
}

/** @param links of the whole set: those of the item, and those of each of its files, which have no items */
export function compareLinkset(links: readonly TypedLink[], ours: PublishedItem): LinksetComparison {
  const { published, withheld, handle } = ours;
  const listed = new Set(targets(links, 'item').flatMap((href) => bitstreamIn(href) ?? []));
  const cited = targets(links, 'cite-as');
  const isNamed = handle === undefined || cited.some((name) => holds(name, handle));
  return {
    agreed: [...listed].filter((id) => published.has(id)).length,
    withheld: [...listed].filter((id) => !published.has(id) && withheld.has(id)).length,
    missing: [...listed].filter((id) => !published.has(id) && !withheld.has(id)),
    surplus: [...published].filter((id) => !listed.has(id)),
    otherNames: isNamed ? [] : cited,
  };
}

const bitstream = /\/bitstreams\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:[/?#]|$)/i;

/** The UUID in `{ui}/bitstreams/{uuid}/download` and `{api}/core/bitstreams/{uuid}/content`, in lower case. */
export function bitstreamIn(url: string): string | undefined {
  return bitstream.exec(url)?.[1]?.toLowerCase();
}

function targets(links: readonly TypedLink[], relation: string): readonly string[] {
  return links.filter(({ relations }) => relations.includes(relation)).map(({ href }) => href);
}

/** `https://hdl.handle.net/1/2` and `https://repo.example.org/handle/1/2` hold `1/2`, and not `1/22`. */
function holds(name: string, handle: string): boolean {
  const path = new URL(absolute(name, 'http://localhost/') ?? 'http://localhost/').pathname;
  return decoded(path).toLowerCase().endsWith(`/${handle.toLowerCase()}`);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
