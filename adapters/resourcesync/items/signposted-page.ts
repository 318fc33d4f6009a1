import type { SourceFile } from '../../../src/core/adapter.ts';
import { isBridgeError } from '../../../src/core/errors.ts';
import { createHeadReader } from '../../../src/core/signposting/head-links.ts';
import { readSignposts } from '../../../src/core/signposting/landing-page-links.ts';
import { parseLinkField } from '../../../src/core/signposting/link-field.ts';
import { pageNames } from '../../../src/core/signposting/page-names.ts';
import type { Statement } from '../../../src/resourcesync/reading/statement.ts';
import { beginningOf, type SourcePort } from '../../../src/resourcesync/source-port.ts';

/** What a page in a Sitemap says of itself (FAIR Signposting). */
export interface PageSigns {
  readonly files: readonly SourceFile[];
  /** Metadata about it in XML or JSON. */
  readonly describedBy: readonly { readonly url: string; readonly type: string }[];
}

export type Page =
  | { readonly kind: 'page'; readonly signs: PageSigns }
  | { readonly kind: 'withheld' }
  | { readonly kind: 'failed'; readonly reason: string };

const headBytes = 512 * 1024;
const mostDescriptions = 10;
const structured = /^(?:application|text)\/(?:[\w.+-]+\+)?(?:xml|json)$/;
const files = /\.(?!html?$|xhtml$|php$|aspx?$|jsp$)[a-z0-9]{2,5}$/i;

/** Whether an entry of a Sitemap is a page for readers, rather than a file. */
export function isPage({ loc, type }: Pick<Statement, 'loc' | 'type'>): boolean {
  if (type !== undefined) return type === 'text/html' || type === 'application/xhtml+xml';
  return !files.test(new URL(loc).pathname);
}

/** @throws BridgeError where the host does not answer at all */
export async function readPageSigns(loc: string, port: SourcePort): Promise<Page> {
  try {
    const response = await port.get(loc, 'resource', { accept: 'text/html, */*;q=0.1' });
    const { status, headers, url } = response;
    if (status !== 200) {
      await response.discard();
      if (status === 401 || status === 403 || status === 451) return { kind: 'withheld' };
      return { kind: 'failed', reason: `${loc} answers ${status}` };
    }
    const reader = createHeadReader(url);
    reader.write(await beginningOf(response, headBytes));
    const links = [...parseLinkField(headers.link ?? '', url), ...reader.links()];
    const { files: items, describedBy } = readSignposts(links, pageNames([loc, url]));
    const described = describedBy.flatMap(({ url: href, type }) =>
      type !== undefined && structured.test(type) && /^https?:/.test(href) ? { url: href, type } : [],
    );
    const distinct = new Map(described.map((one) => [one.url, one]));
    return {
      kind: 'page',
      signs: { files: items, describedBy: [...distinct.values()].slice(0, mostDescriptions) },
    };
  } catch (error) {
    if (!isBridgeError(error) || /^(?:upstream-unreachable|upstream-busy|interrupted)$/.test(error.code))
      throw error;
    return { kind: 'failed', reason: `${loc}: ${error.message}` };
  }
}
