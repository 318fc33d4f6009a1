import { linkFormat, mementoUri, timeGateUri, timeMapUri } from '../../core/uris.ts';
import { encodeTarget, formatTimes, type HeaderLink, joinLinks } from '../http/link-header.ts';
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
  const span = past.withheld === undefined ? past.span : undefined;
  const [base, uri] = [encodeTarget(baseUrl), encodeTarget(past.uri)];
  // Of a TimeMap with several pages this is the first, and where that ends the others say.
  const until = span && span.count <= pageSize ? span.last : undefined;
  const values = [
    `<${uri}>; rel="original"`,
    `<${timeGateUri(base, uri)}>; rel="timegate"`,
    `<${timeMapUri(base, uri)}>; rel="timemap"; type="${linkFormat}"${formatTimes({ from: span?.first, until })}`,
  ];
  if (span) addMementos(values, span, selection, (datetime) => mementoUri(base, uri, datetime));
  return joinLinks(values) ?? '';
}

/** Each memento once, oldest first, with all that it is. */
function addMementos(
  values: string[],
  { first, last }: NonNullable<Past['span']>,
  { selected, prev, next }: PastSelection,
  addressOf: (datetime: string) => string,
): void {
  let before: string | undefined;
  for (const datetime of [first, prev, selected, next, last]) {
    if (datetime === undefined || datetime === before) continue;
    let rel = datetime === first ? 'first ' : '';
    if (datetime === last) rel += 'last ';
    if (datetime === prev) rel += 'prev ';
    if (datetime === next) rel += 'next ';
    values.push(`<${addressOf(datetime)}>; rel="${rel}memento"${formatTimes({ datetime })}`);
    before = datetime;
  }
}
