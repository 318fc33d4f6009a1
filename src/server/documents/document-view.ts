import type { FastifyRequest } from 'fastify';
import type { PublishedDocument } from '../../publish/published/publication.ts';
import { asksForHtml } from '../http/negotiation.ts';
import { findEntries } from './document-search.ts';
import type { DocumentPart } from './document-window.ts';
import { headOf, readBefore, readBehind } from './document-window.ts';

/** What a page of a document is asked for; places are bytes of the document. */
export interface DocumentQuery {
  readonly from: number | undefined;
  readonly before: number | undefined;
  readonly q: string | undefined;
}

export interface DocumentView extends DocumentPart {
  readonly path: string;
  readonly bytes: number;
  readonly query: DocumentQuery;
  readonly isNewestFirst: boolean;
}

const entriesShown = 100;
const longestSearch = 200;

/**
 * Whether a person is to have a page in the place of a document. Crawlers ask as browsers do, and were sent by robots.txt
 * to read a Sitemap. The address with `?format=xml` is the document's, whoever asks.
 */
export function asksForPage({ headers, url }: FastifyRequest): boolean {
  if (!asksForHtml(headers.accept) || queryOf(url).get('format') === 'xml') return false;
  return !crawler.test(headers['user-agent'] ?? '');
}

const crawler = /bot\b|crawl|spider|slurp/i;

export function isXml({ mediaType }: Pick<PublishedDocument, 'mediaType'>): boolean {
  return /^(?:application|text)\/xml\b/.test(mediaType);
}

/** A part of it: where the request says, else its beginning, or the end of what grows at its end. */
export async function viewDocument(
  { path, plain }: PublishedDocument,
  url: string,
  signal: AbortSignal,
): Promise<DocumentView> {
  const query = readQuery(url);
  const isNewestFirst = /(?:^|\/)change(?:list|dump)(?:[-./]|$)/.test(path) && !path.includes('manifest');
  const view = { path, bytes: plain.length, query, isNewestFirst };
  if (query.q !== undefined) {
    const head = await headOf(plain);
    const from = Math.max(query.from ?? 0, head.length);
    const { entries, next } = await findEntries(plain, query.q, from, entriesShown, signal);
    return { ...view, isNewestFirst: false, head, entries, ...(next !== undefined && { behind: next }) };
  }
  const before = query.before ?? (isNewestFirst && query.from === undefined ? plain.length : undefined);
  const part =
    before === undefined
      ? await readBehind(plain, query.from ?? 0, entriesShown)
      : await readBefore(plain, before, entriesShown);
  return { ...view, ...part };
}

function readQuery(url: string): DocumentQuery {
  const query = queryOf(url);
  const place = (name: string) => {
    const value = query.get(name) ?? '';
    return /^\d{1,15}$/.test(value) ? Number(value) : undefined;
  };
  const q = query.get('q')?.trim().slice(0, longestSearch);
  return { from: place('from'), before: place('before'), q: q === '' ? undefined : q };
}

function queryOf(url: string): URLSearchParams {
  return new URLSearchParams(url.split(/\?(.*)/s, 2)[1]);
}
