import type { HttpResponse } from '../../core/adapter.ts';
import { parseHttpDate } from '../../core/datetime.ts';
import { linkFormat } from '../../core/uris.ts';
import { type FieldLink, readLinks } from '../../resourcesync/discovery/link-field.ts';
import type { Attributes, DocumentEntry } from '../../resourcesync/documents/document-model.ts';
import { beginningOf, essenceOf, type SourcePort } from '../../resourcesync/source-port.ts';
import type { Report } from '../documents/finding.ts';
import { toTime } from '../rules/time-rules.ts';
import { linkOf } from './memento-check.ts';

/** Of a TimeMap; some thousand mementos. */
const maximumBytes = 2_097_152;

/**
 * RS-LN-24: it is of the type that its link says, and the memento of the entry is in it, or in that page of it which
 * covers its time. Read are those in link-format (RFC 7089 §5).
 * @returns undefined, or what could not be checked
 */
export async function checkTimeMap(
  link: Attributes,
  entry: DocumentEntry,
  response: HttpResponse,
  port: SourcePort,
  report: Report,
): Promise<string | undefined> {
  const served = essenceOf(response.headers['content-type']);
  const stated = essenceOf(link.get('type')) ?? linkFormat;
  if (served !== stated) report('RS-LN-24', `type is ${stated}, Content-Type is ${served ?? 'absent'}`);
  const memento = linkOf(entry, 'memento');
  if (served !== linkFormat || memento === undefined) {
    await response.discard();
    return undefined;
  }
  const first = await readTimeMap(response);
  if (lists(first.links, memento)) return undefined;
  const pages = otherPages(first);
  const page = pages.find((one) => isWithin(one, memento));
  if (page === undefined) {
    if (pages.length > 0 || first.cut) return 'whether it lists the memento';
    report('RS-LN-24', `the memento ${memento.get('href')} is not in it`);
    return undefined;
  }
  const next = await port.get(page.target, 'resource');
  if (next.status !== 200) {
    await next.discard();
    report('RS-LN-24', `its page ${page.target} answers ${next.status}`);
    return undefined;
  }
  const second = await readTimeMap(next);
  if (lists(second.links, memento)) return undefined;
  if (second.cut) return 'whether it lists the memento';
  report('RS-LN-24', `the memento ${memento.get('href')} is not in its page ${page.target}`);
  return undefined;
}

interface TimeMapText {
  readonly uri: string;
  readonly links: readonly FieldLink[];
  /** There was more. */
  readonly cut: boolean;
}

async function readTimeMap(response: HttpResponse): Promise<TimeMapText> {
  const text = await beginningOf(response, maximumBytes);
  return {
    uri: response.url,
    links: readLinks(text, response.url),
    cut: Buffer.byteLength(text) >= maximumBytes,
  };
}

function lists(links: readonly FieldLink[], memento: Attributes): boolean {
  const href = memento.get('href') ?? '';
  const uri = URL.canParse(href) ? new URL(href).href : href;
  const modified = toTime(memento.get('modified'));
  return links.some(
    ({ target, relations, parameters }) =>
      target === uri &&
      relations.includes('memento') &&
      (modified === undefined || parseHttpDate(parameters.get('datetime') ?? '') === modified),
  );
}

function otherPages({ uri, links }: TimeMapText): readonly FieldLink[] {
  return links.filter(({ target, relations }) => relations.includes('timemap') && target !== uri);
}

/** TM-06: the pages of a TimeMap say from when until when they go. */
function isWithin({ parameters }: FieldLink, memento: Attributes): boolean {
  const time = toTime(memento.get('modified'));
  const [from, until] = ['from', 'until'].map((name) => parseHttpDate(parameters.get(name) ?? ''));
  return time !== undefined && from !== undefined && until !== undefined && from <= time && time <= until;
}
