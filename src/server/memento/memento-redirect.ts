import type { FastifyReply } from 'fastify';
import { mementoUri } from '../../core/uris.ts';
import { mementoLinks } from '../past/memento-links.ts';
import type { Past, PastSelection } from '../past.ts';

/** Leads to a memento (RFC 7089 §4.2.1). */
export function redirectToMemento(
  baseUrl: string,
  reply: FastifyReply,
  past: Past,
  selection: PastSelection & { readonly selected: string },
): FastifyReply {
  return reply
    .code(302)
    .headers(redirectHeaders(baseUrl, past, selection))
    .send();
}

/** Which memento it is may change, so nobody keeps the answer. */
export function redirectHeaders(
  baseUrl: string,
  past: Pick<Past, 'uri' | 'span' | 'withheld'>,
  selection: PastSelection & { readonly selected: string },
): Record<string, string> {
  return {
    location: mementoUri(baseUrl, past.uri, selection.selected),
    link: mementoLinks(baseUrl, past, selection),
    'cache-control': 'no-cache',
    'content-length': '0',
  };
}
