import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { toIso } from '../../core/datetime.ts';
import { fromSegment, toSegment } from '../../core/segment.ts';
import { collectionPath, toUri } from '../../core/uris.ts';
import { namesOfResources } from '../../store/search/names.ts';
import type { NamedItem } from '../../store/search/search.ts';
import type { CollectionMember } from '../../store/sources/collection-members.ts';
import {
  findCollection,
  listCollectionResources,
  listCollections,
  type StoredCollection,
} from '../../store/sources/collections.ts';
import type { ServerDeps } from '../deps.ts';
import { fileName } from '../files/file-headers.ts';
import { html, type Markup, type Page } from '../html/html.ts';
import { Refusal } from '../http/errors.ts';
import { formatQuery, sendView } from '../pages/views.ts';
import { generalWords } from '../words/general.ts';
import { itemWords } from '../words/items.ts';
import type { Reader } from '../words/reader.ts';
import { searchWords } from '../words/search.ts';
import {
  type CollectionTimelineView,
  collectionTimelineSection,
  readCollectionPast,
} from './collection-timeline.ts';
import { languageOf } from './description-view.ts';
import { capabilityListsForCollection } from './discovery.ts';
import { type VersionsView, versionsNumber } from './timeline-view.ts';

const pageSize = 100;

const params = Type.Object({ source: Type.String(), spec: Type.String() });
const query = Type.Composite([
  formatQuery,
  Type.Object({
    after: Type.Optional(
      Type.String({
        // A path of ours, the address of a file elsewhere, or where a page without members ended.
        pattern: '^[\\x21-\\x7e]*$',
        maxLength: 4000,
        description: 'Members behind this one.',
      }),
    ),
  }),
]);

interface CollectionView {
  readonly uri: string;
  readonly source: string;
  readonly spec: string;
  readonly at: string;
  readonly name: string;
  readonly description?: string;
  /** Resources of the items in it; of these, files. */
  readonly count: number;
  readonly files: number;
  /** There may be more of them. */
  readonly atLeast?: true;
  readonly resources: readonly string[];
  /** The same, with what is known of each. */
  readonly members: readonly MemberView[];
  readonly next?: string;
  /** When something in it changed. */
  readonly timeline?: CollectionTimelineView | undefined;
  /** Where its items are found by words, and listed with the newest first. */
  readonly search?: string;
  readonly capabilityLists: readonly string[];
  readonly about: string;
}

interface MemberView {
  readonly uri: string;
  readonly kind: string;
  readonly name: string;
  /** Of its item, where that is known. */
  readonly title?: { readonly text: string; readonly language?: string | undefined };
  readonly mediaType?: string | undefined;
  readonly length?: number | undefined;
  /** What it was, as far as that is handed out. */
  readonly versions?: VersionsView | undefined;
}

/** What `rel="collection"` points to. */
export function collectionRoutes(app: FastifyInstance, deps: ServerDeps): void {
  app.route<{ Params: Static<typeof params>; Querystring: Static<typeof query> }>({
    method: ['GET', 'HEAD'],
    url: '/:source/collections/:spec',
    schema: { params, querystring: query },
    config: { operationId: 'getCollection', open: true },
    handler: async (request, reply) => {
      const { source, spec } = request.params;
      const collection = await lookUp(deps, source, spec);
      if (!collection) throw new Refusal('not-found', 'there is no such collection');
      const view = await readCollection(deps, collection, request.query.after ?? '');
      return sendView(deps, request, reply, view, toPage);
    },
  });
}

async function lookUp(
  deps: ServerDeps,
  source: string,
  segment: string,
): Promise<StoredCollection | undefined> {
  const { reader } = deps.database;
  // PostgreSQL refuses NUL even in a question; no source and no setSpec has one.
  if (source.includes('\0')) return undefined;
  let spec = fromSegment(segment);
  if (spec === undefined && /~\.[0-9a-f]{64}$/.test(segment)) {
    spec = (await listCollections(reader, source)).find(
      (candidate) => toSegment(candidate.spec) === segment,
    )?.spec;
  }
  return spec === undefined || spec.includes('\0') ? undefined : findCollection(reader, source, spec);
}

async function readCollection(
  deps: ServerDeps,
  collection: StoredCollection,
  after: string,
): Promise<CollectionView> {
  const { baseUrl, database } = deps;
  const { source, spec, name, description, resourceCount, fileCount, isLeast } = collection;
  const { members: shown, next } = await listCollectionResources(
    database.reader,
    source,
    spec,
    after,
    pageSize,
  );
  const { versions, timeline } = await readCollectionPast(deps, collection, shown);
  const paths = shown.map(({ path }) => path);
  const named = deps.search?.has(source)
    ? await namesOfResources(database.reader, source, paths)
    : new Map<string, NamedItem>();
  const members = shown.map((member) => ({
    ...toMemberView(baseUrl, member),
    ...titleOf(named.get(member.path)),
    versions: versions.get(member.path),
  }));
  const uri = `${baseUrl}/${collectionPath(source, spec)}`;
  return {
    uri,
    source,
    spec,
    name,
    ...(description !== undefined && { description }),
    count: resourceCount,
    files: fileCount,
    ...(isLeast && { atLeast: true }),
    resources: members.map(({ uri: member }) => member),
    members,
    ...(next !== undefined && { next: `${uri}?after=${encodeURIComponent(next)}` }),
    timeline,
    ...(deps.search?.has(source) && {
      search: `${baseUrl}/search?${new URLSearchParams({ source, collection: spec })}`,
    }),
    at: toIso(deps.clock.now()),
    capabilityLists: await capabilityListsForCollection(deps, source, spec),
    about: `${baseUrl}/${source}/about`,
  };
}

function titleOf(item: NamedItem | undefined): Pick<MemberView, 'title'> {
  return item?.title === undefined ? {} : { title: { text: item.title, language: item.language } };
}

function toMemberView(baseUrl: string, { path, kind, mediaType, length }: CollectionMember): MemberView {
  return { uri: toUri(baseUrl, path), kind, name: fileName(path), mediaType, length };
}

function toPage(view: CollectionView, reader: Reader): Page {
  const words = itemWords[reader.language];
  const withPast = view.members.some(({ versions }) => versions !== undefined);
  const body = html`<h1>${view.name}</h1>
${view.description && html`<p>${view.description}</p>`}
<dl><dt>${words.collection}</dt><dd class="mono">${view.spec}</dd><dt>${words.of}</dt><dd><a href="${view.about}">${view.source}</a></dd><dt>${words.holds}</dt><dd>${holdings(view, reader)}</dd></dl>${
    view.search !== undefined &&
    html`
<p><a href="${view.search}">${searchWords[reader.language].inCollection}</a></p>`
  }${view.timeline && collectionTimelineSection(view.timeline, view.at, reader)}
<h2>${words.resources}</h2>
<div class="scroll"><table><tr><th>${words.address}</th><th class="wide">${words.type}</th><th class="n">${words.size}</th>${withPast && html`<th class="n">${words.versions}</th>`}</tr>
${view.members.map((member, index) => row(member, withPast, view.members[index - 1], reader))}</table></div>
${view.next && html`<p><a rel="next" href="${view.next}">${words.nextSome(reader.count(pageSize))}</a></p>`}`;
  return { title: view.name, body, capabilityLists: view.capabilityLists };
}

function holdings({ count, files, atLeast }: CollectionView, { language }: Reader): Markup {
  const [words, { resources, files: filesOf }] = [itemWords[language], generalWords[language]];
  return html`${atLeast ? words.atLeast(resources(count)) : resources(count)}${files > 0 && words.filesAmong(filesOf(files))}`;
}

/** @param before the member above it: the title of an item stands once */
function row(member: MemberView, withPast: boolean, before: MemberView | undefined, reader: Reader): Markup {
  const { uri, title, mediaType, length, versions } = member;
  const isNew = title !== undefined && title.text !== before?.title?.text;
  return html`<tr><td class="any">${isNew && html`<div${languageOf(title)} dir="auto">${title.text}</div>`}<a class="mono" href="${uri}">${uri}</a></td><td class="wide soft">${mediaType}</td><td class="n">${length === undefined ? undefined : reader.size(length)}</td>${withPast && html`<td class="n">${versionsNumber(versions, reader)}</td>`}</tr>
`;
}
