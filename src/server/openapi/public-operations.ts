import { linkFormat } from '../../core/uris.ts';
import { xmlPatchType } from '../../core/xml/xml-patch.ts';
import type { Answer, Operation, Parameter } from './operation.ts';
import {
  aboutView,
  collectionView,
  homeView,
  itemView,
  linksetView,
  readinessView,
  resourceMapView,
  searchView,
  setAboutView,
} from './view-schemas.ts';

/** What every route for everybody does, by its `operationId`. */
const conditional = {
  ETag: 'For If-None-Match and If-Match.',
  'Last-Modified': 'For If-Modified-Since.',
  'Cache-Control': '`no-cache`: ask each time, with a condition.',
};
const linked = {
  Link: 'Relations of ResourceSync, Memento and Signposting: `resourcesync`, `describedby`, `describes`, `collection`, `original timegate`, `timemap`.',
};
const notModified: Answer = { description: 'It is what the condition says.' };
const xml = { 'application/xml': undefined };

function page(description: string, json: Answer['content']): Operation['answers'] {
  return {
    200: {
      description,
      content: { 'text/html': undefined, ...json },
      headers: { ETag: conditional.ETag, Vary: '`Accept`.' },
    },
    304: notModified,
  };
}

const bytes: Readonly<Record<string, Answer>> = {
  206: { description: 'Some of its bytes, as `Range` asks.' },
  304: notModified,
};

const oaiAnswers: Operation['answers'] = {
  200: {
    description: 'The response, errors of the protocol included.',
    content: { 'text/xml': undefined },
    headers: { Vary: '`Accept-Encoding`: gzip when it is asked for.' },
  },
};

const source: Parameter = { name: 'source', in: 'path', description: 'The name of a source.' };
const item: Parameter = {
  name: 'item',
  in: 'path',
  description:
    'The identifier of the item as one segment: letters, digits, `_ : . -` as they are, every other octet as `~hh`.',
  example: 'oai:repo.example.org:123456789~2F1',
};

function resourceMap(summary: string, content: NonNullable<Answer['content']>): Operation {
  const headers = { ETag: conditional.ETag, Link: '`describes` the item and the Aggregation.' };
  return {
    ...{ tag: 'resources', summary, parameters: [source, item], problems: [404, 410, 412] },
    answers: { 200: { description: 'The Resource Map.', content, headers }, 304: notModified },
  };
}
const original: Parameter = {
  name: 'uri',
  in: 'path',
  description: 'The URI as it is, slashes and all, not percent-encoded.',
};

/** All sets have the same documents; a set has one segment, or two, or three. */
function ofSet(...names: readonly string[]): readonly string[] {
  const sets = ['/{source}', '/{source}/{part}', '/{source}/{part}/{name}'];
  return sets.flatMap((set) => names.map((name) => `${set}/${name}`));
}

export const publicOperations: Readonly<Record<string, Operation>> = {
  getDocument: {
    tag: 'documents',
    summary: 'A ResourceSync document',
    description:
      'The Source Description leads to all others. A set is `SOURCE` (everything), `SOURCE/metadata`, `SOURCE/sets/NAME`, or the name of a set across sources. Which documents a set has, its Capability List says; gzip when it is asked for.',
    paths: [
      '/.well-known/resourcesync',
      ...ofSet(
        '.well-known/resourcesync',
        'capabilitylist.xml',
        'resourcelist.xml',
        'resourcelist/{snapshot}/{file}',
        'changelist-index.xml',
        'changelist.xml',
        'changelist/{file}',
        'resourcedump.xml',
        'resourcedump/{snapshot}/{file}',
        'changedump.xml',
        'changedump/{file}',
      ),
    ],
    parameters: [
      { ...source, description: 'The name of a source, or of a set across sources.' },
      { name: 'part', in: 'path', description: '`metadata`, `sets` or `lists`.' },
      { name: 'name', in: 'path', description: 'The name of a set.' },
      { name: 'snapshot', in: 'path', description: 'The moment of a snapshot.', example: '20261122T081530Z' },
      { name: 'file', in: 'path', description: 'A part: a list (.xml), a package (.zip), or its manifest.' },
    ],
    answers: {
      200: {
        description: 'The document.',
        content: { ...xml, 'application/zip': undefined, 'text/html': undefined },
        headers: { ...conditional, ...linked, 'Content-Length': 'Its length in octets.' },
      },
      302: {
        description: 'The name of a set leads to the page about it.',
        headers: { Location: 'The page.' },
      },
      ...bytes,
    },
    problems: [404, 410, 412, 416, 503],
  },
  askOai: {
    tag: 'resources',
    summary: 'OAI-PMH 2.0',
    description:
      'All six verbs, with their arguments in the query, where `oai` of the source is configured. What is wrong with a request is said in a valid response with status 200, as the protocol wants.',
    parameters: [source],
    answers: oaiAnswers,
    problems: [404, 410, 503],
  },
  askOaiByForm: {
    tag: 'resources',
    summary: 'OAI-PMH 2.0, with its arguments in a form',
    parameters: [source],
    answers: oaiAnswers,
    problems: [404, 410, 413, 503],
  },
  askAllOai: {
    tag: 'resources',
    summary: 'OAI-PMH 2.0 of all sources together',
    description: 'As that of a source, where `oai` is configured at the top: each source is a set.',
    answers: oaiAnswers,
    problems: [404, 503],
  },
  askAllOaiByForm: {
    tag: 'resources',
    summary: 'OAI-PMH 2.0 of all sources together, with its arguments in a form',
    answers: oaiAnswers,
    problems: [404, 413, 503],
  },
  getResource: {
    tag: 'resources',
    summary: 'A metadata record or a file',
    description:
      'Byte for byte what the lists state by hash and length. Deleted: 410, with links to what it was. A file that its repository does not hand out just now: 503.',
    paths: ['/{source}/items/{item}/{format}', '/{source}/items/{item}/files/{file}'],
    parameters: [
      source,
      item,
      { name: 'format', in: 'path', description: 'The name of a format and `.xml`.', example: 'oai_dc.xml' },
      { name: 'file', in: 'path', description: 'Number and name of a file.', example: '1-article.pdf' },
    ],
    answers: {
      200: {
        description: 'The bytes.',
        content: { ...xml, '*/*': undefined },
        headers: {
          ...conditional,
          ...linked,
          'Repr-Digest': 'SHA-256 of the whole (RFC 9530).',
          'Content-Length': 'Its length in octets.',
          'Accept-Ranges': '`bytes` where a part can be asked for.',
        },
      },
      ...bytes,
    },
    problems: [404, 410, 412, 416, 500, 502, 503, 504],
  },
  getPatch: {
    tag: 'resources',
    summary: 'What changed from a version to the next, as an XML patch (RFC 5261)',
    parameters: [source, { name: 'file', in: 'path', description: 'As a Change List names it.' }],
    answers: {
      200: { description: 'The patch.', content: { [xmlPatchType]: undefined }, headers: conditional },
      ...bytes,
    },
    problems: [404, 410, 412, 416],
  },
  getItem: {
    tag: 'pages',
    summary: 'An item: its title, metadata, files and past',
    description: 'Whoever prefers XML is led to its metadata, whoever prefers a link set gets that.',
    parameters: [source, item],
    answers: {
      ...page('What there is of the item.', {
        'application/json': itemView,
        'application/linkset+json': linksetView,
        'application/linkset': undefined,
      }),
      303: { description: 'To its metadata.', headers: { Location: 'A metadata record.' } },
    },
    problems: [404, 410],
  },
  getLinkset: {
    tag: 'resources',
    summary: 'All links of an item, its metadata and its files (RFC 9264)',
    parameters: [source, item],
    answers: { 200: { description: 'The link set.', content: { 'application/linkset': undefined } } },
    problems: [404, 410],
  },
  getLinksetJson: {
    tag: 'resources',
    summary: 'The same as JSON (RFC 9264)',
    parameters: [source, item],
    answers: { 200: { description: 'The link set.', content: { 'application/linkset+json': linksetView } } },
    problems: [404, 410],
  },
  getAggregation: {
    tag: 'resources',
    summary: 'An item as an Aggregation (OAI-ORE): leads to its Resource Map, or to its page',
    parameters: [source, item],
    answers: {
      303: {
        description: 'To what is preferred: Atom, JSON-LD or the page.',
        headers: { Location: 'A Resource Map, or the page.', Vary: '`Accept`.', Link: 'describedby.' },
      },
    },
    problems: [404, 410],
  },
  getResourceMap: resourceMap(
    'Everything that everybody may read of an item, as a Resource Map (OAI-ORE) in Atom',
    { 'application/atom+xml': undefined },
  ),
  getResourceMapJson: resourceMap('The same as JSON-LD', { 'application/ld+json': resourceMapView }),
  getCollection: {
    tag: 'pages',
    summary: 'A collection (an OAI set, a DSpace collection) and its resources, 100 a page',
    parameters: [source, { name: 'spec', in: 'path', description: 'Its setSpec, as one segment.' }],
    answers: page('What is in it.', { 'application/json': collectionView }),
    problems: [400, 404],
  },
  getTimeGate: {
    tag: 'mementos',
    summary: 'Leads to what an original was at a moment',
    parameters: [
      original,
      {
        name: 'Accept-Datetime',
        in: 'header',
        description: 'The moment; without it, the latest memento.',
        example: 'Sat, 21 Nov 2026 04:38:00 GMT',
      },
    ],
    answers: {
      302: {
        description: 'To the memento.',
        headers: {
          Location: 'The memento.',
          Vary: '`accept-datetime`.',
          Link: 'original, timemap, mementos.',
        },
      },
    },
    problems: [400, 404],
  },
  getMemento: {
    tag: 'mementos',
    summary: 'What an original was',
    parameters: [
      original,
      { name: 'datetime', in: 'path', description: 'Its moment in UTC.', example: '20261122081530' },
    ],
    paths: ['/memento/{datetime}/{uri}'],
    answers: {
      200: {
        description: 'The bytes of then.',
        content: { '*/*': undefined },
        headers: { 'Memento-Datetime': 'When it began to be so.', ...linked, ETag: conditional.ETag },
      },
      302: { description: 'To the memento that was valid at that moment.', headers: { Location: 'It.' } },
      ...bytes,
    },
    problems: [400, 404, 412, 416, 502, 503, 504],
  },
  getTimeMap: {
    tag: 'mementos',
    summary: 'All mementos of an original, a thousand a page',
    paths: ['/timemap/{form}/{uri}', '/timemap/{form}/{page}/{uri}'],
    parameters: [
      original,
      { name: 'form', in: 'path', description: '`link`, `json` or `html`.', example: 'link' },
      { name: 'page', in: 'path', description: 'From 1.', example: '2' },
    ],
    answers: {
      200: {
        description: 'The TimeMap.',
        content: { [linkFormat]: undefined, 'application/json': undefined, 'text/html': undefined },
      },
      304: notModified,
    },
    problems: [404],
  },
  getHome: {
    tag: 'pages',
    summary: 'All sources, how they are, and what is published of them',
    answers: page('The home page.', { 'application/json': homeView }),
    problems: [400, 404],
  },
  getAbout: {
    tag: 'pages',
    summary: 'All sets',
    answers: page('The sets.', { 'application/json': aboutView }),
    problems: [400, 404],
  },
  getSetAbout: {
    tag: 'pages',
    summary: 'A set: where it comes from, its documents, and how to synchronise it',
    parameters: [
      { ...source, description: 'The name of a source, or of a set across sources.' },
      { name: 'part', in: 'path', description: '`metadata` or `sets`.' },
      { name: 'name', in: 'path', description: 'The name of a set.' },
    ],
    answers: page('The set.', { 'application/json': setAboutView }),
    problems: [400, 404],
  },
  search: {
    tag: 'pages',
    summary:
      'Items by words, source, collection, format, year and time; without any of them, the newest ones',
    answers: page('What was found, 20 a page.', { 'application/json': searchView }),
    problems: [400, 404],
  },
  getShared: {
    tag: 'pages',
    summary: 'How one source is, for whoever has the link',
    description:
      'Those who look after a repository get the link by mail each week (`digestTo`). It ends after 35 days, or when it is revoked.',
    parameters: [{ name: 'key', in: 'path', description: 'The secret of the link.' }],
    answers: {
      200: { description: 'The page.', content: { 'text/html': undefined } },
      304: notModified,
    },
    problems: [400, 404],
  },
  getDocumentStylesheet: {
    tag: 'documents',
    summary: 'How a browser shows the documents',
    answers: { 200: { description: 'CSS.', content: { 'text/css': undefined } }, 304: notModified },
  },
  getRobots: {
    tag: 'documents',
    summary: 'The Resource Lists, as sitemaps',
    answers: { 200: { description: 'robots.txt (RFC 9309).', content: { 'text/plain': undefined } } },
  },
  getLiveness: {
    tag: 'operations',
    summary: 'Whether the process answers',
    answers: { 200: { description: '`ok`', content: { 'text/plain': undefined } } },
  },
  getReadiness: {
    tag: 'operations',
    summary: 'Whether there is a database, and something is published',
    answers: {
      200: { description: 'Ready.', content: { 'application/json': readinessView } },
      503: { description: 'Not ready, and why.', content: { 'application/json': readinessView } },
    },
  },
  getMetrics: {
    tag: 'operations',
    summary: 'Metrics for Prometheus',
    answers: { 200: { description: 'Its text format.', content: { 'text/plain': undefined } } },
  },
  getApiDescription: {
    tag: 'pages',
    summary: 'This description',
    answers: {
      200: {
        description: 'OpenAPI 3.1.',
        content: { 'application/vnd.oai.openapi+json': undefined },
        headers: { ETag: conditional.ETag },
      },
      304: notModified,
    },
  },
  getApiCatalog: {
    tag: 'pages',
    summary: 'Where the descriptions of this API are (RFC 9727)',
    answers: {
      200: { description: 'A link set.', content: { 'application/linkset+json': linksetView } },
      304: notModified,
    },
  },
};
