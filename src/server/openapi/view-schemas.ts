import { type TProperties, Type } from '@sinclair/typebox';

/**
 * What programs get in the place of pages, as JSON. A test holds these schemas against answers: nothing is missing in
 * them, and there is nothing else.
 */
const text = Type.String();
const number = Type.Integer({ minimum: 0 });
const publishedItems = Type.Integer({
  minimum: 0,
  description: 'That are published: with metadata that lives.',
});
const uri = Type.String({ description: 'An absolute URI.' });
const moment = Type.String({ description: 'UTC, in seconds: 2026-11-22T08:15:30Z.' });
const maybe = Type.Optional;
const list = Type.Array;

function view<Properties extends TProperties>(properties: Properties, description?: string) {
  return Type.Object(properties, { additionalProperties: false, ...(description && { description }) });
}

const place = { page: Type.Integer({ minimum: 1 }), pages: number, previous: maybe(uri), next: maybe(uri) };

const document = view({
  uri,
  name: text,
  capability: Type.String({ description: 'resourcelist, changelist, … as in the documents.' }),
  entries: number,
  bytes: number,
  lastModified: moment,
  at: maybe(moment),
  from: maybe(moment),
  until: maybe(moment),
});

const statedTitle = view({ text, language: maybe(Type.String({ description: 'BCP 47.' })) });

const foundItem = view({
  uri,
  source: text,
  identifier: text,
  title: maybe(statedTitle),
  creators: list(text),
  date: maybe(text),
  type: maybe(text),
  lastmod: moment,
});

export const searchView = view({
  uri,
  query: Type.Record(text, text, { description: 'What was asked, without what was empty.' }),
  items: Type.Array(foundItem, { description: 'Newest first.' }),
  next: maybe(Type.String({ description: 'The next page; there may be nothing on it.' })),
  index: view(
    { done: number, total: number },
    'How much of what is published can be found by now, in changes.',
  ),
  sources: list(view({ name: text, title: text })),
  at: moment,
});

const setFacts = { path: text, title: text, source: text, about: uri, documents: list(document) };
const set = view(setFacts);

const source = view({
  name: text,
  title: text,
  state: Type.String({ description: 'What it is doing now, in a sentence.' }),
  word: maybe(Type.String({ description: 'The same in one word.' })),
  healthy: Type.Boolean({ description: 'Nothing needs attention.' }),
  harvesting: maybe(Type.Boolean({ description: 'Its first harvest is not over.' })),
  isUnderWay: maybe(Type.Boolean({ description: 'A process reads it now, or has begun to.' })),
  lastSuccessAt: maybe(moment),
  lastRunAt: maybe(moment),
  nextRunAt: maybe(moment),
  items: publishedItems,
  resources: number,
  recentChanges: Type.Integer({ description: 'In the last 24 hours.' }),
  problem: maybe(Type.String({ description: 'The latest one, in a sentence.' })),
});

export const homeView = view({
  title: text,
  version: text,
  at: moment,
  healthy: Type.Boolean(),
  harvesting: Type.Boolean(),
  sourceDescription: maybe(uri),
  totals: view({
    sources: number,
    items: publishedItems,
    resources: number,
    recentChanges: number,
    documents: number,
    newestDocument: maybe(moment),
  }),
  ...place,
  sources: list(source),
  sets: list(set),
});

export const aboutView = view({ uri, title: text, ...place, sets: list(set), oai: maybe(uri) });

export const setAboutView = view({
  ...setFacts,
  at: moment,
  upstream: maybe(view({ name: text, protocol: text, address: maybe(uri) })),
  resources: maybe(number),
  synchronise: view(
    { baseline: maybe(text), incremental: maybe(text) },
    'Commands of the reference client, for the lists that there are.',
  ),
  withoutDumps: maybe(view({ capabilityList: uri, sourceDescription: uri })),
  oai: maybe(uri),
  search: maybe(view({ uri, newest: list(foundItem) })),
});

const memento = view({ uri, datetime: moment });
const timeMap = view({ link: uri, html: uri });
const versions = view({
  count: number,
  prior: number,
  dropped: number,
  first: memento,
  prev: maybe(memento),
  last: memento,
  timeGate: uri,
  timeMap,
});

const ended = { name: text, uri, prior: Type.Boolean() };
const itemTimeline = view({
  count: number,
  first: moment,
  prev: maybe(moment),
  last: moment,
  moments: list(
    view({
      at: moment,
      began: list(view({ ...ended, memento: uri })),
      ended: list(view(ended)),
      others: number,
    }),
  ),
});

const description = view(
  {
    title: maybe(statedTitle),
    otherTitles: list(statedTitle),
    creators: list(text),
    date: maybe(Type.String({ description: '2024, 2024-05 or 2024-05-31.' })),
    type: maybe(text),
    abstract: maybe(statedTitle),
    licence: maybe(view({ text: maybe(text), uri: maybe(uri) })),
    publisher: maybe(text),
    journal: maybe(
      view({
        title: maybe(text),
        issn: maybe(text),
        volume: maybe(text),
        issue: maybe(text),
        firstPage: maybe(text),
        lastPage: maybe(text),
      }),
    ),
    language: maybe(text),
    subjects: list(text),
    doi: maybe(text),
    handle: maybe(text),
    isbn: maybe(text),
  },
  'From the published metadata that says most.',
);

export const itemView = view({
  uri,
  source: text,
  identifier: text,
  description: maybe(description),
  citeAs: maybe(uri),
  datestamp: maybe(Type.String({ description: 'As the repository states it.' })),
  at: moment,
  collections: list(view({ uri, spec: text, name: text })),
  landingPages: list(uri),
  resources: list(
    view({
      uri,
      kind: Type.Union([Type.Literal('metadata'), Type.Literal('file')]),
      format: text,
      name: maybe(text),
      mediaType: maybe(text),
      length: maybe(number),
      hash: maybe(text),
      lastmod: moment,
      upstream: maybe(uri),
      versions: maybe(versions),
    }),
  ),
  files: number,
  timeline: maybe(itemTimeline),
  linkset: uri,
  aggregation: maybe(uri),
  resourceMaps: maybe(list(view({ uri, mediaType: maybe(text) }))),
  capabilityLists: list(uri),
  about: uri,
});

const changeFacts = view({
  at: moment,
  uri: maybe(uri),
  change: text,
  memento: maybe(uri),
  resourceList: maybe(uri),
});

export const collectionView = view({
  uri,
  source: text,
  spec: text,
  name: text,
  description: maybe(text),
  count: number,
  files: number,
  atLeast: maybe(Type.Literal(true, { description: 'There may be more of them.' })),
  resources: list(uri),
  members: list(
    view({
      uri,
      kind: text,
      name: text,
      title: maybe(statedTitle),
      mediaType: maybe(text),
      length: maybe(number),
      versions: maybe(versions),
    }),
  ),
  next: maybe(uri),
  search: maybe(uri),
  timeline: maybe(
    view({
      first: changeFacts,
      last: maybe(changeFacts),
      prev: maybe(changeFacts),
      quietFor: maybe(number),
      resourceList: maybe(Type.Object({}, { description: 'A list that it is in, of any moment.' })),
    }),
  ),
  at: moment,
  capabilityLists: list(uri),
  about: uri,
});

const check = { ok: Type.Boolean(), detail: maybe(text) };

export const readinessView = view({
  ready: Type.Boolean(),
  checks: view({ database: view(check), publication: view(check) }),
  sources: Type.Record(text, view({ ...check, harvesting: maybe(Type.Literal(true)) })),
});

export const problemView = Type.Object(
  {
    type: text,
    title: text,
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: maybe(Type.String({ description: 'What happened, for people.' })),
    code: Type.String({ description: 'Stays the same in all versions; docs/errors.md explains each.' }),
    advice: Type.String({ description: 'What to do next.' }),
    reason: maybe(
      Type.Object(
        { code: text, facts: Type.Record(text, text) },
        { description: 'What the detail tells, by a code that stays the same, and by its facts.' },
      ),
    ),
  },
  { description: 'A problem document (RFC 9457).' },
);

/** RFC 9264, as far as that is for everybody the same. */
export const linksetView = Type.Object({
  linkset: list(Type.Object({ anchor: uri })),
});

/** JSON-LD, in the names of its own context. */
export const resourceMapView = Type.Object({
  '@id': uri,
  modified: moment,
  describes: Type.Object({ '@id': uri, aggregates: list(Type.Object({ '@id': uri, title: text })) }),
});
