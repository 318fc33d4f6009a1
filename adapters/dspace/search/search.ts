import type { AdapterContext, AdapterSettings } from '../../../src/core/adapter.ts';
import { isBridgeError } from '../../../src/core/errors.ts';
import { say } from '../../../src/core/reasons/reason.ts';
import type { ItemReader } from '../items/item-reader.ts';
import { isRestError } from '../rest/rest-error.ts';
import type { Query, RestService } from '../rest/rest-service.ts';
import { type SearchPage, toSearchPage } from './search-page.ts';

/** What an enumeration of the public items works with. */
export interface SearchContext {
  readonly rest: RestService;
  readonly reader: Pick<ItemReader, 'read'>;
  readonly settings: AdapterSettings;
  readonly context: AdapterContext;
  readonly identifierOf: (handle: string | undefined, uuid: string) => string;
  /** Knows communities and collections by their keys, where their handles lead nowhere. */
  readonly collections?:
    | { uuidOf(key: string, signal: AbortSignal): Promise<string | undefined> }
    | undefined;
  /** Milliseconds that an answer may take before less is asked for; default a minute. */
  readonly deadline?: number | undefined;
}

/** Items of one type in one community or collection; empty: all public items. */
export interface Selection {
  /** UUID of the community or collection. */
  readonly scope?: string | undefined;
  readonly entityType?: string | undefined;
}

/** One request to `discover/search/objects`. */
export interface Ask {
  readonly selection: Selection;
  /** Solr's syntax; undefined: everything. */
  readonly query?: string | undefined;
  /** At most 100: beyond its limit the server leaves out items (DSpace#8723). */
  readonly size: number;
  readonly page?: number | undefined;
  readonly sort?: string | undefined;
  readonly embeds?: Query | undefined;
  readonly patient?: boolean | undefined;
}

/** `rest.search.max.results`, unless somebody changed it. */
const usualLimit = 100;

/** So many of 100 rows come where a few of them are of stale documents, which are left out. */
const nearlyFull = 90;
const limitLesson = 'search-limit';
const defaultDeadline = 60_000;

/** @throws RestError, BridgeError as `RestService.get` */
export async function search(
  { rest, deadline = defaultDeadline }: Pick<SearchContext, 'rest' | 'deadline'>,
  ask: Ask,
  signal: AbortSignal,
): Promise<SearchPage> {
  const { patient } = ask;
  return toSearchPage(
    await rest.get('/discover/search/objects', toQuery(ask), { signal, deadline, patient }),
  );
}

function toQuery({ selection, query, size, page, sort, embeds = [] }: Ask): Query {
  const { scope, entityType } = selection;
  return [
    ['dsoType', 'item'],
    ['configuration', 'default'],
    ...(scope === undefined ? [] : [['scope', scope] as const]),
    ...(entityType === undefined ? [] : [['f.entityType', `${entityType},equals`] as const]),
    ...(query === undefined ? [] : [['query', query] as const]),
    ...(sort === undefined ? [] : [['sort', sort] as const]),
    ['page', String(page ?? 0)],
    ['size', String(size)],
    ...embeds,
  ];
}

/** `(search.resourceid:0a* OR search.resourceid:0b*)`, and what else is asked; undefined: everything. */
export function withPrefixes(query: string | undefined, prefixes: readonly string[]): string | undefined {
  const terms = prefixes.filter((prefix) => prefix !== '').map((prefix) => `search.resourceid:${prefix}*`);
  if (terms.length === 0) return query;
  const within = terms.length === 1 ? terms.join() : `(${terms.join(' OR ')})`;
  return query === undefined ? within : `${query} AND ${within}`;
}

/** How many the server says there are; undefined: it does not say. */
export async function countItems(
  context: SearchContext,
  { selection, query }: Pick<Ask, 'selection' | 'query'>,
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    return (await search(context, { selection, query, size: 1 }, signal)).total;
  } catch (error) {
    // The one item that is shown may be the one that breaks every page it is on.
    if (isTooMuch(error) && !isDown(error)) return undefined;
    throw error;
  }
}

/** Rows that the server gives in one page, as far as it is known. */
export function knownLimit({ lessons }: Pick<AdapterContext, 'lessons'>): number {
  const learnt = Number(lessons.get(limitLesson));
  return Number.isInteger(learnt) && learnt > 0 ? Math.min(learnt, usualLimit) : usualLimit;
}

/** Asks for more than the server may give, and counts. */
export async function probeLimit(
  parts: SearchContext,
  selection: Selection,
  total: number | undefined,
  signal: AbortSignal,
): Promise<number> {
  const { lessons } = parts.context;
  try {
    const { rows } = await search(parts, { selection, size: usualLimit, patient: false }, signal);
    if (rows === 0 || rows >= usualLimit || (total !== undefined && rows >= total)) {
      if (rows >= usualLimit) lessons.forget(limitLesson);
      return knownLimit(parts.context);
    }
    if (rows > nearlyFull || (total === undefined && rows > usualLimit / 2)) return rows;
    const sentence = say('fewer-rows', { rows, asked: usualLimit });
    lessons.learn(limitLesson, String(rows), sentence);
    return rows;
  } catch (error) {
    if (!isTooMuch(error) || isDown(error)) throw error;
    return knownLimit(parts.context);
  }
}

/** A time limit, or something that broke: less, or something else, may well be answered. */
export function isTooMuch(error: unknown): boolean {
  if (isRestError(error)) return error.status >= 500;
  return (
    isUnreachable(error) ||
    isBridgeError(error, 'upstream-cut-off') ||
    isBridgeError(error, 'upstream-not-json') ||
    isBridgeError(error, 'response-too-large')
  );
}

/** Nobody answers at all, as far as can be told from what is no time limit of ours. */
export function isDown(error: unknown): boolean {
  return isUnreachable(error) && !(error instanceof Error && / took longer than /.test(error.message));
}

function isUnreachable(error: unknown): boolean {
  return isBridgeError(error, 'upstream-unreachable');
}

/** It is not answered in this form: by Solr, which does not understand, or by what stands before it. */
export function isNotTaken(error: unknown): boolean {
  return (
    isBridgeError(error, 'upstream-html') || (isRestError(error) && error.status >= 400 && error.status < 500)
  );
}

/** Whether everybody finds this item. `counted`: there is such an item, it says, and shows none. */
export async function findInSearch(
  rest: RestService,
  uuid: string,
  signal: AbortSignal,
): Promise<boolean | 'counted'> {
  const query = `search.resourceid:${uuid}`;
  const { hits, total = 0 } = await search({ rest }, { selection: {}, query, size: 1 }, signal);
  if (hits.some((hit) => hit.uuid === uuid)) return true;
  return hits.length === 0 && total > 0 ? 'counted' : false;
}

/** The UUID of the item that everybody finds by this handle; undefined: there is none. */
export async function findHandleInSearch(
  rest: RestService,
  handle: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const query = `handle:"${handle.replace(/["\\]/g, '\\$&')}"`;
  const { hits } = await search({ rest }, { selection: {}, query, size: 1 }, signal);
  return hits.find((hit) => hit.handle === handle)?.uuid;
}
