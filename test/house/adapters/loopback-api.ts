import { ItemReader, type ItemReaderParts } from '../../../adapters/dspace/items/item-reader.ts';
import { openRestService, type RestService } from '../../../adapters/dspace/rest/rest-service.ts';
import type { AdapterContext, AdapterSettings } from '../../../src/core/adapter.ts';
import { createContext } from './http-double.ts';
import { type Answer, provide } from './scripted-provider.ts';

const never = new AbortController().signal;

/** Answers by path below the base; undefined: 404. The rest of a request is in the query. */
export type ApiScript = (path: string, query: URLSearchParams) => Answer | object | undefined;

export interface LoopbackApi {
  readonly rest: RestService;
  readonly context: AdapterContext;
  /** Paths with queries, below the base, in the order of the requests; the probe of the root left out. */
  readonly requests: string[];
}

const base = '/server/api';

/** The REST API of a DSpace that knows only what the script says, and `dspaceUI` https://ui.example.org. */
export async function openApi(
  script: ApiScript = () => undefined,
  context = createContext(),
): Promise<LoopbackApi> {
  const requests: string[] = [];
  const { url } = await provide((query, _nth, rawUrl) => {
    const path = rawUrl.split('?', 1)[0]?.slice(base.length) ?? '';
    if (path === '')
      return json({ type: 'root', dspaceUI: 'https://ui.example.org', dspaceVersion: 'DSpace 9.1' });
    requests.push(rawUrl.slice(base.length));
    const answer = script(path, query);
    if (answer === undefined) return { ...json({ status: 404, message: 'Not Found' }), status: 404 };
    return typeof answer === 'function' || 'body' in Object(answer) || typeof answer === 'string'
      ? (answer as Answer)
      : json(answer);
  });
  const rest = await openRestService({ url: new URL(base, url).href }, context, never);
  return { rest, context, requests };
}

export function refusal(status: number): Answer {
  return { ...json({ status, message: 'no' }), status };
}

function json(value: object): { readonly headers: Record<string, string>; readonly body: string } {
  return { headers: { 'content-type': 'application/hal+json;charset=UTF-8' }, body: JSON.stringify(value) };
}

export const settings: AdapterSettings = {
  url: 'http://unused.example.org',
  overlapSeconds: 300,
  requestsPerHost: 2,
  files: {},
};

export function createReader(
  { rest, context }: Pick<LoopbackApi, 'rest' | 'context'>,
  more: Partial<ItemReaderParts> = {},
): ItemReader {
  return new ItemReader({
    rest,
    context,
    settings,
    identifierOf: (handle, uuid) => (handle === undefined ? uuid : `oai:e.org:${handle}`),
    collections: {
      keysOf: async (collections) => collections.map(({ handle, uuid }) => String(handle ?? uuid)),
    },
    ...more,
  });
}

/** The nth UUID of a kind. */
export function uuid(number: number, kind = 'a'): string {
  return `${kind.repeat(8)}-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

export interface BitstreamShape {
  readonly [key: string]: unknown;
  /** `accessStatus`, embedded; undefined: the server does not know it. */
  readonly status?: string | undefined;
  readonly embargoDate?: string;
  readonly mimetype?: string | undefined;
}

export function bitstreamJson(number: number, shape: BitstreamShape = {}): object {
  const { status, embargoDate = null, mimetype = 'application/pdf', ...more } = shape;
  return {
    uuid: uuid(number, 'b'),
    name: `${number}.pdf`,
    bundleName: 'ORIGINAL',
    sizeBytes: 1000 + number,
    checkSum: { checkSumAlgorithm: 'MD5', value: digest(number) },
    sequenceId: number,
    type: 'bitstream',
    _links: { content: {}, format: {}, ...(status === undefined ? {} : { accessStatus: {} }) },
    _embedded: {
      format: { id: 4, mimetype },
      ...(status === undefined ? {} : { accessStatus: { status, embargoDate } }),
    },
    ...more,
  };
}

export function digest(number: number): string {
  return number.toString(16).padStart(32, 'c');
}

export function listJson(relation: string, rows: readonly object[], total = rows.length): object {
  return {
    ...(rows.length === 0 ? {} : { _embedded: { [relation]: rows } }),
    page: { number: 0, size: 100, totalPages: Math.ceil(total / 100), totalElements: total },
    _links: { self: {}, next: { href: 'https://evil.example.org/' } },
  };
}

export function bundleJson(name: string, bitstreams: readonly object[], total = bitstreams.length): object {
  return {
    uuid: uuid(
      [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0),
      'c',
    ),
    name,
    type: 'bundle',
    _embedded: { bitstreams: listJson('bitstreams', bitstreams, total) },
  };
}

/** A public item of DSpace 9 with everything embedded. */
export function itemJson(
  bundles: readonly object[] = [],
  more: Readonly<Record<string, unknown>> = {},
  embeds: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    id: uuid(1),
    uuid: uuid(1),
    name: 'A thesis',
    handle: '1/2',
    metadata: {
      'dc.title': [{ value: 'A thesis', language: null, authority: null, confidence: -1, place: 0 }],
    },
    inArchive: true,
    discoverable: true,
    withdrawn: false,
    lastModified: '2026-07-22T11:41:42.176561Z',
    entityType: null,
    type: 'item',
    _links: { accessStatus: {}, bundles: {}, mappedCollections: {}, owningCollection: {}, version: {} },
    ...more,
    _embedded: {
      owningCollection: { uuid: uuid(1, 'd'), name: 'Owning', handle: '1/10' },
      mappedCollections: listJson('mappedCollections', []),
      accessStatus: { status: 'open.access', embargoDate: null },
      bundles: listJson('bundles', bundles),
      version: null,
      ...embeds,
    },
  };
}
