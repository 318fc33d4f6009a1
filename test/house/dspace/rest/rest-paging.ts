import { Refusal } from '../refusal.ts';
import type { Page } from './hidden-rows.ts';
import { shownPage } from './hidden-rows.ts';
import type { Face, Json, Look, Resource } from './rest-json.ts';
import { type EmbedTree, renderWith } from './rest-relations.ts';

/** `page` and `size`, as asked. @throws Refusal 400 where they make no sense */
export function pageOf(query: URLSearchParams): Page {
  const number = Number(query.get('page') ?? 0);
  const size = Number(query.get('size') ?? 20);
  if (!Number.isInteger(number) || !Number.isInteger(size) || number < 0 || size < 1) throw new Refusal(400);
  return { number, size };
}

/** A list of resources, one page of it. `first` and `last` are stated by lists from a repository only. */
export function listJson(
  face: Face,
  rows: readonly Resource[],
  options: {
    name: string;
    path: string;
    query: URLSearchParams;
    look: Look;
    tree: EmbedTree;
    fromRepository: boolean;
  },
): Json {
  const asked = pageOf(options.query);
  const size = Math.min(asked.size, face.switches.maxListSize);
  const { number } = asked;
  const { rows: shown, totalElements } = shownPage(face, rows, { number, size }, options.look);
  const totalPages = Math.ceil(totalElements / size);
  const page = { number, size, totalPages, totalElements };
  const href = `${face.api}${options.path}`;
  const _links = pageLinks(href, page, options.query.has('size') || number > 0);
  if (options.fromRepository && totalPages > 1) {
    _links.first ??= { href: `${href}?page=0&size=${size}` };
    _links.last ??= { href: `${href}?page=${totalPages - 1}&size=${size}` };
  }
  return {
    _embedded: {
      [options.name]: shown.map((row) => row && renderWith(face, row, options.look, options.tree)),
    },
    page,
    _links,
  };
}

/** Links of a page; they lose `embed` and `projection`, as DSpace's do. */
export function pageLinks(
  href: string,
  page: { number: number; size: number; totalPages: number },
  withSize: boolean,
): Record<string, { href: string }> {
  const glue = href.includes('?') ? '&' : '?';
  const at = (number: number) => ({ href: `${href}${glue}page=${number}&size=${page.size}` });
  const links: Record<string, { href: string }> = {};
  if (page.number + 1 < page.totalPages) {
    links.next = at(page.number + 1);
    links.last = at(page.totalPages - 1);
  }
  if (page.number > 0) links.prev = at(page.number - 1);
  links.self =
    page.number > 0 ? at(page.number) : { href: withSize ? `${href}${glue}size=${page.size}` : href };
  if (page.number > 0) links.first = at(0);
  return links;
}
