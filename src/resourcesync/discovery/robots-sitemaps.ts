import { type BridgeError, describeError } from '../../core/errors.ts';
import { isListOfAddresses, sitemapsOf } from './look.ts';

/** What a robots.txt names as Sitemaps. */
export interface RobotsReading {
  readonly uri: string;
  /** How many. */
  readonly named: number;
  /** Those that are none, or none that is read, each with why. */
  readonly unread: readonly string[];
  /** Those that could not be read now, each with why: without them nothing can be called absent. */
  readonly faults: readonly string[];
}

/** Who has more names an index. */
const maximumSitemaps = 500;

/** Addresses behind `Sitemap:`, each once. */
export function sitemapsNamed(text: string, robots: string): readonly string[] {
  const all = sitemapsOf(text).flatMap((given) =>
    URL.canParse(given, robots) ? new URL(given, robots).href : [],
  );
  return [...new Set(all)].slice(0, maximumSitemaps);
}

/**
 * Why a Sitemap of a robots.txt is not read.
 * @param text what is there
 * @returns `isForGood`: it says itself that it is no list of this Source, and nothing is missing without it
 */
export async function unreadSitemap(
  { uri, status, error }: { uri: string; status: number | undefined; error: BridgeError },
  text: () => Promise<string>,
): Promise<{ readonly isForGood: boolean; readonly why: string }> {
  if (status === 404 || status === 410) return { isForGood: status === 410, why: `${uri} answers ${status}` };
  const isOther = error.code === 'upstream-not-xml' || error.code === 'upstream-protocol';
  const found = isOther ? await text() : '';
  if (isListOfAddresses(found)) return { isForGood: true, why: textSitemap(uri) };
  return { isForGood: isFeed(found), why: described(uri, error) };
}

/** RSS or Atom: they tell what is new, and never all there is. */
function isFeed(text: string): boolean {
  return /^\uFEFF?\s*(?:<\?[^>]*>\s*|<!--(?:(?!-->)[\s\S])*-->\s*)*<(?:rss|feed|rdf:RDF)[\s>]/.test(text);
}

export function textSitemap(uri: string): string {
  return `${uri} is a Sitemap as text (one address a line), which is not read: only Sitemaps in XML are`;
}

function described(uri: string, error: BridgeError): string {
  const message = describeError(error);
  return message.includes(uri) ? message : `${uri}: ${message}`;
}
