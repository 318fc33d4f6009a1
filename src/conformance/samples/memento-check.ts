import type { HttpResponse } from '../../core/adapter.ts';
import { parseHttpDate, toHttpDate } from '../../core/datetime.ts';
import { linkTargets } from '../../resourcesync/discovery/link-field.ts';
import type { Attributes, DocumentEntry } from '../../resourcesync/documents/document-model.ts';
import type { Report } from '../documents/finding.ts';
import { toTime } from '../rules/time-rules.ts';

/** What a sampled resource's past answers (RFC 7089), against what its entry says of it: RS-LN-18…22. */

export const pastRelations: readonly string[] = ['memento', 'timegate', 'timemap'];

/** The first link of a relation that an entry has. */
export function linkOf({ links }: DocumentEntry, relation: string): Attributes | undefined {
  return links.find((link) => link.get('rel') === relation);
}

/** A TimeGate is asked for the state that the entry is about. */
export function acceptDatetime({ lastmods }: DocumentEntry): Record<string, string> {
  const time = toTime(lastmods[0]);
  return time === undefined ? {} : { 'accept-datetime': toHttpDate(time) };
}

/**
 * RS-LN-18: what an entry with a past is about has no date of its own. It may, where it never changes and is its own
 * memento, or where it is its own TimeGate.
 */
export function checkTimeGeneric(entry: DocumentEntry, response: HttpResponse, report: Report): void {
  const own = pastRelations.flatMap((relation) => linkOf(entry, relation)?.get('href') ?? []);
  const [loc = ''] = entry.locs;
  const at = mementoDatetime(response);
  if (own.length === 0 || own.includes(loc) || at === undefined) return;
  report('RS-LN-18', `it has earlier versions, but is itself the version of ${at} (Memento-Datetime)`);
}

/** RS-LN-19, -20: of the time that the link says, and of this resource. The body is left to be read. */
export function checkMemento(
  link: Attributes,
  entry: DocumentEntry,
  response: HttpResponse,
  report: Report,
): void {
  const modified = toTime(link.get('modified'));
  const at = mementoDatetime(response);
  if (at === undefined) {
    report('RS-LN-19', 'it has no Memento-Datetime');
    return;
  }
  if (modified !== undefined && modified !== at) {
    report('RS-LN-20', `modified is ${modified}, Memento-Datetime is ${at}`);
  }
  checkOriginal(entry, response, 'RS-LN-19', report);
}

/**
 * RS-LN-22: asked for the time of the entry's memento, it leads there. Which memento a TimeGate selects is its own
 * business (ME-06), hence a warning.
 */
export function checkTimeGate(entry: DocumentEntry, response: HttpResponse, report: Report): void {
  const at = mementoDatetime(response);
  if (at === undefined) {
    report('RS-LN-22', 'no memento comes back', 'warning');
    return;
  }
  const wanted = toTime(linkOf(entry, 'memento')?.get('modified'));
  if (wanted !== undefined && wanted === toTime(entry.lastmods[0]) && wanted !== at) {
    report('RS-LN-22', `asked for ${wanted}, it leads to the memento of ${at}`, 'warning');
  }
  checkOriginal(entry, response, 'RS-LN-22', report);
}

/** A memento says whose it is (RFC 7089 §2.2.1); that is the entry's `loc`, or this is not the time-generic URI. */
function checkOriginal({ locs }: DocumentEntry, response: HttpResponse, rule: string, report: Report): void {
  const originals = linkTargets(response.headers.link, 'original', response.url);
  const [loc = ''] = locs;
  const [other] = originals;
  if (other === undefined) report(rule, 'the memento does not link to its original', 'warning');
  else if (!originals.includes(normalised(loc))) report('RS-LN-18', `the memento is one of ${other}`);
}

function normalised(uri: string): string {
  return URL.canParse(uri) ? new URL(uri).href : uri;
}

function mementoDatetime({ headers }: HttpResponse): string | undefined {
  return parseHttpDate(headers['memento-datetime'] ?? '');
}
