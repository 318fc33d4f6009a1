import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { parseDatestamp, toIso } from '../../core/datetime.ts';
import { wantedOf } from '../../core/search/words.ts';
import { boundedSearch } from '../../store/search/bounded-search.ts';
import { readProgress } from '../../store/search/following.ts';
import type { SearchQuestion } from '../../store/search/search.ts';
import { collectionIdOf } from '../../store/sources/collections.ts';
import { findSource } from '../../store/sources/sources.ts';
import type { SearchedSources, ServerDeps } from '../deps.ts';
import { toFoundItem } from '../html/found-items.ts';
import type { SearchFields } from '../html/search-form.ts';
import { Refusal } from '../http/errors.ts';
import { formatQuery, sendView } from '../pages/views.ts';
import { isOpen, isReadable } from '../privacy.ts';
import { searchWords } from '../words/search.ts';
import { type SearchView, toSearchPage } from './search-page.ts';

const pageSize = 20;
/** Each costs a look into the index. */
const mostTerms = 40;

/** Forms send what nobody filled in as empty texts. */
const query = Type.Composite([
  formatQuery,
  Type.Object({
    q: Type.Optional(Type.String({ maxLength: 200, description: 'Words; all of them are to be there.' })),
    source: Type.Optional(Type.String({ pattern: '^[a-z0-9-]*$', maxLength: 200 })),
    collection: Type.Optional(
      Type.String({ maxLength: 1000, description: 'The setSpec of a collection of `source`.' }),
    ),
    metadata: Type.Optional(
      Type.String({ maxLength: 200, description: 'Only items that have this metadata format.' }),
    ),
    year: Type.Optional(Type.String({ pattern: '^(?:\\d{4})?$', description: 'Of publication.' })),
    since: Type.Optional(Type.String({ maxLength: 40, description: 'Changed then or later.' })),
    after: Type.Optional(Type.String({ pattern: '^\\d{1,16}$', description: 'As `next` has it.' })),
  }),
]);

/** Of refusals, which programs read, too. */
const words = searchWords.en;

type Query = Static<typeof query>;

/** Items by words, source, collection, format, year and time; without any of them, the newest ones: of what whoever asks may read. */
export function searchRoutes(app: FastifyInstance, deps: ServerDeps): void {
  const { search } = deps;
  if (!search) return;
  const progress = createProgress(deps, search);
  app.route<{ Querystring: Query }>({
    method: ['GET', 'HEAD'],
    url: '/search',
    schema: { querystring: query },
    config: { operationId: 'search', open: true },
    handler: async (request, reply) => {
      // What is found is to be indexed elsewhere, not every question about it.
      reply.header('x-robots-tag', 'noindex');
      const seen = { has: (source: string) => search.has(source) && isReadable(deps, request, source) };
      const view = await readSearch(deps, seen, progress, request.query);
      return sendView(deps, request, reply, view, (shown, reader) => toSearchPage(deps, shown, reader));
    },
  });
}

/** Of more, a name is typed, and none is listed. */
const sourcesListed = 100;
const progressMs = 5000;

/** It is no part of the answer that somebody waits for: of thousands of sources it is not read anew each time. */
function createProgress(deps: ServerDeps, searched: SearchedSources): () => Promise<SearchView['index']> {
  const { clock, database } = deps;
  let last: { readonly at: number; readonly index: Promise<SearchView['index']> } | undefined;
  return () => {
    const at = clock.now().getTime();
    if (!last || Math.abs(at - last.at) > progressMs) {
      const index = readProgress(database.reader, (source) => searched.has(source) && isOpen(deps, source));
      last = { at, index };
      index.catch(() => {
        last = undefined;
      });
    }
    return last.index;
  };
}

async function readSearch(
  deps: ServerDeps,
  searched: SearchedSources,
  progress: () => Promise<SearchView['index']>,
  asked: Query,
): Promise<SearchView> {
  const { baseUrl, database } = deps;
  const fields = filledIn(asked);
  const question = await toQuestion(deps, searched, fields, asked.after);
  const { items, next } = isEmptyHanded(fields, question)
    ? { items: [], next: undefined }
    : await boundedSearch(database, question, (source) => searched.has(source));
  const sources = (await deps.sources()).filter(({ name }) => searched.has(name));
  const uri = `${baseUrl}/search`;
  return {
    uri: addressOf(uri, fields, asked.after),
    query: fields,
    items: items.map((item) => toFoundItem(baseUrl, item)),
    ...(next !== undefined && { next: addressOf(uri, fields, String(next)) }),
    index: await progress(),
    sources: (sources.length > sourcesListed ? [] : sources).map(({ name, title }) => ({ name, title })),
    at: toIso(deps.clock.now()),
  };
}

function filledIn({ q, source, collection, metadata, year, since }: Query): SearchFields {
  const all = { q: q?.trim(), source, collection, metadata, year, since };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined && value !== ''));
}

/** Signs alone are words of nothing: they do not stand for all items. */
function isEmptyHanded({ q }: SearchFields, { wanted }: SearchQuestion): boolean {
  return q !== undefined && wanted.terms.length === 0;
}

async function toQuestion(
  { database: { reader } }: ServerDeps,
  searched: SearchedSources,
  { q = '', source, collection, metadata, year, since }: SearchFields,
  after: string | undefined,
): Promise<SearchQuestion> {
  const wanted = wantedOf(q);
  if (wanted.terms.length > mostTerms) throw new Refusal('bad-request', words.tooMany(mostTerms));
  const sourceId =
    source !== undefined && searched.has(source) ? (await findSource(reader, source))?.id : undefined;
  if (source !== undefined && sourceId === undefined) throw new Refusal('not-found', words.unknownSource);
  if (collection !== undefined && source === undefined) throw new Refusal('bad-request', words.collectionOf);
  const found =
    collection === undefined || source === undefined || collection.includes('\0')
      ? undefined
      : await collectionIdOf(reader, source, collection);
  if (collection !== undefined && found === undefined)
    throw new Refusal('not-found', words.unknownCollection);
  const moment = since === undefined ? undefined : parseDatestamp(since);
  if (since !== undefined && moment === undefined) throw new Refusal('bad-request', words.badDate);
  const place = after === undefined ? undefined : Number(after);
  return {
    wanted,
    sourceId,
    collectionId: found,
    format: metadata,
    year,
    since: moment,
    after: place === undefined || Number.isSafeInteger(place) ? place : Number.MAX_SAFE_INTEGER,
    limit: pageSize,
  };
}

function addressOf(uri: string, fields: SearchFields, after: string | undefined): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) query.set(name, value);
  if (after !== undefined) query.set('after', after);
  return query.size === 0 ? uri : `${uri}?${query}`;
}
