import type { SourceFile } from '../adapter.ts';
import { dspaceServer, toContentUrl } from '../addresses/dspace-download.ts';
import { webAddress } from '../addresses/web-url.ts';
import { fileName } from './file-name.ts';
import { isNameOf, type PageNames } from './page-names.ts';
import type { TypedLink } from './typed-link.ts';

/** What the links of a landing page say (FAIR Signposting, levels 1 and 2). */
export interface Signposts {
  /** Of `rel="item"`, in their order; what is typed as an HTML page is none. */
  readonly files: readonly SourceFile[];
  /** Where there is more to read, JSON first. */
  readonly linksets: readonly string[];
  /** Persistent names of the page. */
  readonly citeAs: readonly string[];
  /** Metadata about it. */
  readonly describedBy: readonly { readonly url: string; readonly type: string | undefined }[];
}

/** @param links of the page itself: its `Link` field, its head, what `linksOfPage` finds in a link set */
export function readSignposts(links: readonly TypedLink[], page: PageNames): Signposts {
  const own = links.filter(({ context }) => context === undefined || isNameOf(page, context));
  const related = (relation: string) => own.filter(({ relations }) => relations.includes(relation));
  const linksets = related('linkset').sort((a, b) => preference(a) - preference(b));
  const describedBy = related('describedby');
  const server = dspaceServer([...linksets, ...describedBy].map(({ href }) => href));
  return {
    files: toFiles(related('item'), page, server),
    linksets: [...new Set(linksets.flatMap(({ href }) => webAddress(href) ?? []))],
    citeAs: related('cite-as').map(({ href }) => href),
    describedBy: describedBy.map(({ href, type }) => ({ url: href, type })),
  };
}

/**
 * The links of a set that are this page's. Sets name their contexts by the address that the repository calls the
 * page's own, which need not be the one it was found by: a name that it is to be cited by is as good, and in the
 * end the only context that has items is meant.
 */
export function linksOfPage(set: readonly TypedLink[], page: PageNames): readonly TypedLink[] {
  const contexts = byContext(set);
  const named = contexts.filter(
    ([context, links]) => isNameOf(page, context) || links.some((link) => cites(link, page)),
  );
  const withItems = contexts.filter(([, links]) => links.some(isItem));
  const chosen = named.some(([, links]) => links.some(isItem)) || withItems.length !== 1 ? named : withItems;
  return chosen.flatMap(([, links]) => links.map((link) => ({ ...link, context: undefined })));
}

function byContext(set: readonly TypedLink[]): readonly (readonly [string, readonly TypedLink[]])[] {
  const contexts = new Map<string, TypedLink[]>();
  for (const link of set) {
    const context = link.context ?? '';
    const links = contexts.get(context);
    if (links === undefined) contexts.set(context, [link]);
    else links.push(link);
  }
  return [...contexts];
}

function isItem({ relations }: TypedLink): boolean {
  return relations.includes('item');
}

function cites({ relations, href }: TypedLink, page: PageNames): boolean {
  return relations.includes('cite-as') && isNameOf(page, href);
}

function preference({ type }: TypedLink): number {
  return type === 'application/linkset+json' ? 0 : 1;
}

const pages: ReadonlySet<string | undefined> = new Set(['text/html', 'application/xhtml+xml']);

function toFiles(
  items: readonly TypedLink[],
  page: PageNames,
  server: string | undefined,
): readonly SourceFile[] {
  const files = new Map<string, SourceFile>();
  for (const { href, type, length, title } of items) {
    if (pages.has(type) || isNameOf(page, href)) continue;
    const address = webAddress(server === undefined ? href : toContentUrl(href, server));
    if (address === undefined || files.has(address)) continue;
    const name = title ?? fileName(href, type);
    files.set(address, { url: address, name, sequence: files.size + 1, mediaType: type, length });
  }
  return [...files.values()];
}
