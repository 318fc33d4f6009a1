import { Parser } from 'htmlparser2';
import { readPasted } from './usual-places.ts';

/** More than this are not worth a request each. */
const most = 5;
/** Of a page with thousands of links the first count. */
const mostLinks = 5000;

/**
 * The links of a page that look like endpoints of OAI-PMH, the likeliest first.
 * @param url of the page; its `<base>` is honoured
 */
export function oaiLinks(html: string, url: string): readonly string[] {
  const links: { readonly href: string; text: string }[] = [];
  let base: string | undefined;
  let open: { text: string } | undefined;
  const parser = new FlatParser({
    onopentag(name, { href, title }) {
      if (name === 'base') base ??= href;
      if (!within.has(name)) open = undefined;
      if ((name !== 'a' && name !== 'link') || href === undefined || links.length >= mostLinks) return;
      const link = { href, text: title ?? '' };
      links.push(link);
      open = name === 'a' ? link : undefined;
    },
    ontext(text) {
      if (open && open.text.length < 200) open.text += text;
    },
  });
  parser.end(html);
  const from = base !== undefined && URL.canParse(base, url) ? new URL(base, url).href : url;
  const found = new Map<string, number>();
  for (const { href, text } of links) {
    const link = URL.canParse(href, from) ? new URL(href, from) : undefined;
    const likelihood = link && likelihoodOf(link, text);
    if (!link || likelihood === undefined) continue;
    const endpoint = readPasted(link).url;
    found.set(endpoint, Math.min(likelihood, found.get(endpoint) ?? likelihood));
  }
  return [...found]
    .sort(([, a], [, b]) => a - b)
    .map(([link]) => link)
    .slice(0, most);
}

/** What a link may have within; where anything else begins, it is over. */
const within = new Set(['b', 'i', 'em', 'strong', 'span', 'small', 'abbr', 'code', 'img', 'svg', 'path']);

/** A request of the protocol, an address that is called so, words that say so; undefined: nothing of the kind. */
function likelihoodOf(link: URL, text: string): number | undefined {
  if (!/^https?:$/.test(link.protocol) || link.username !== '' || link.password !== '') return undefined;
  // About the protocol, rather than of it.
  if (/(?:^|\.)openarchives\.org$|(?:^|\.)wikipedia\.org$/.test(link.hostname)) return undefined;
  if (/\.(?:pdf|docx?|png|jpe?g|svg|css|js|zip)$/i.test(link.pathname)) return undefined;
  if ([...link.searchParams.keys()].some((key) => key.toLowerCase() === 'verb')) return 0;
  if (/(?:^|[/._-])oai(?:[-_.]?pmh)?(?:2d?)?(?:handler)?(?:$|[/._-])/i.test(link.pathname)) return 1;
  if (/\boai\b/i.test(link.search)) return 2;
  return /\boai[- ]?pmh\b/i.test(text) ? 3 : undefined;
}

/** Keeps no account of open elements: a hundred thousand of them, one in the other, would take seconds. */
class FlatParser extends Parser {
  protected override isVoidElement(): boolean {
    return true;
  }
}
