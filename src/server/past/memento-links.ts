import { linkFormat, mementoUri, timeGateUri, timeMapUri } from '../../core/uris.ts';
import { formatLinks, type HeaderLink } from '../http/link-header.ts';
import type { Past, PastSelection } from '../past.ts';

/** As many mementos are in one TimeMap, or on one of its pages. */
export const pageSize = 1000;

/** What an Original says of its past (ME-08); without `original`, which only others than itself say (RFC 7089 §4.2). */
export function originalLinks(baseUrl: string, uri: string): readonly HeaderLink[] {
  return [
    { rel: 'timegate', href: timeGateUri(baseUrl, uri) },
    { rel: 'timemap', href: timeMapUri(baseUrl, uri), type: linkFormat },
  ];
}

/** What the TimeGate and every memento say: where they belong, and which mementos are around (ME-09, ME-10, ME-17). */
export function mementoLinks(
  baseUrl: string,
  past: Pick<Past, 'uri' | 'span' | 'withheld'>,
  selection: PastSelection = {},
): string {
  const { uri, withheld } = past;
  const span = withheld === undefined ? past.span : undefined;
  const [timeGate, timeMap] = originalLinks(baseUrl, uri);
  const links: HeaderLink[] = [{ rel: 'original', href: uri }];
  if (timeGate) links.push(timeGate);
  // Of a TimeMap with several pages this is the first, and where that ends the others say.
  if (timeMap)
    links.push({
      ...timeMap,
      from: span?.first,
      until: span && span.count <= pageSize ? span.last : undefined,
    });
  for (const [datetime, rel] of span ? relationsOf(span, selection) : []) {
    links.push({ rel, href: mementoUri(baseUrl, uri, datetime), datetime });
  }
  return formatLinks(links) ?? '';
}

/** Each memento once, oldest first, with all that it is. */
function relationsOf(
  { first, last }: NonNullable<Past['span']>,
  { selected, prev, next }: PastSelection,
): ReadonlyMap<string, string> {
  const relations = new Map<string, string>();
  for (const datetime of [first, prev, selected, next, last]) {
    if (datetime === undefined) continue;
    let own = datetime === first ? 'first ' : '';
    if (datetime === last) own += 'last ';
    if (datetime === prev) own += 'prev ';
    if (datetime === next) own += 'next ';
    relations.set(datetime, `${own}memento`);
  }
  return relations;
}
