import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { fromSegment, toSegment } from '../core/segment.ts';
import { collectionPath } from '../core/uris.ts';
import {
  findCollection,
  listCollectionResources,
  listCollections,
  type StoredCollection,
} from '../store/collections.ts';
import type { ServerDeps } from './deps.ts';
import { capabilityListsForCollection } from './discovery.ts';
import { Refusal } from './errors.ts';
import { html, type Page } from './html.ts';
import { formatQuery, sendView } from './views.ts';
import { countOf } from './wording.ts';

const pageSize = 100;

const params = Type.Object({ source: Type.String(), spec: Type.String() });
const query = Type.Composite([
  formatQuery,
  Type.Object({
    after: Type.Optional(
      Type.String({
        // A path of ours: nothing else can be the last member of a page.
        pattern: '^[A-Za-z0-9._:~/-]*$',
        maxLength: 1000,
        description: 'Members behind this one.',
      }),
    ),
  }),
]);

interface CollectionView {
  readonly uri: string;
  readonly source: string;
  readonly spec: string;
  readonly name: string;
  readonly description?: string;
  /** Resources of the items in it. */
  readonly count: number;
  readonly resources: readonly string[];
  readonly next?: string;
  readonly capabilityLists: readonly string[];
  readonly about: string;
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
  const { source, spec, name, description, resourceCount } = collection;
  const found = await listCollectionResources(database.reader, source, spec, after, pageSize + 1);
  const members = found.slice(0, pageSize);
  const uri = `${baseUrl}/${collectionPath(source, spec)}`;
  return {
    uri,
    source,
    spec,
    name,
    ...(description !== undefined && { description }),
    count: resourceCount,
    resources: members.map((path) => `${baseUrl}/${path}`),
    ...(found.length > pageSize && { next: `${uri}?after=${encodeURIComponent(members.at(-1) ?? '')}` }),
    capabilityLists: await capabilityListsForCollection(deps, source, spec),
    about: `${baseUrl}/${source}/about`,
  };
}

function toPage(view: CollectionView): Page {
  const body = html`<h1>${view.name}</h1>
${view.description && html`<p>${view.description}</p>`}
<dl><dt>Collection</dt><dd class="mono">${view.spec}</dd><dt>Of</dt><dd><a href="${view.about}">${view.source}</a></dd><dt>Holds</dt><dd>${countOf(view.count, 'resource')}</dd></dl>
<h2>Resources</h2>
<ul class="mono">${view.resources.map(
    (uri) => html`<li><a href="${uri}">${uri}</a></li>
`,
  )}</ul>
${view.next && html`<p><a rel="next" href="${view.next}">Next ${pageSize}</a></p>`}`;
  return { title: view.name, body, capabilityLists: view.capabilityLists };
}
