import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { countOf } from '../../core/count-of.ts';
import { linkFormat, type TimeMapForm, timeMapForms, timeMapUri } from '../../core/uris.ts';
import type { ServerDeps } from '../deps.ts';
import { type VerbatimParams, verbatimParams, verbatimRest } from '../http/base-path.ts';
import { Refusal } from '../http/errors.ts';
import { formatLink } from '../http/link-header.ts';
import { sendTagged, tagOf } from '../http/tagged-text.ts';
import { sendTaggedPage } from '../pages/views.ts';
import { createFindPast } from '../past/find-past.ts';
import { pageSize } from '../past/memento-links.ts';
import { nothingThen, pastRefusal } from '../past/past-refusal.ts';
import type { Past } from '../past.ts';
import { type TimeMapPage, toLinkFormat, toTimeMapHtml, toTimeMapJson } from './time-map-forms.ts';

/** Every memento of an Original (RFC 7089 §5), in pages of a thousand. */
export function timeMapRoutes(app: FastifyInstance, deps: ServerDeps): void {
  const { baseUrl } = deps;
  const findPast = createFindPast(deps);
  app.route<{ Params: VerbatimParams }>({
    method: ['GET', 'HEAD'],
    url: '/timemap/*',
    schema: { params: verbatimParams },
    config: { operationId: 'getTimeMap', open: true },
    handler: async (request, reply) => {
      const asked = readAddress(verbatimRest(request));
      if (!asked) throw new Refusal('not-found', `there are TimeMaps as ${timeMapForms.join(', ')}`);
      const past = await findPast(asked.uri, request);
      if (!past) throw new Refusal('not-found', 'nothing was published at this address');
      if (past.withheld !== undefined) throw pastRefusal(baseUrl, past, 'not-found', past.withheld);
      // TM-10.
      if (!past.span) throw nothingThen(baseUrl, past, {}, undefined);
      const page = await readPage(baseUrl, past, past.span, asked.page);
      reply.header('cache-control', 'no-cache');
      // TM-08: whose TimeMap it is; `original` would make a memento of it.
      const self = {
        rel: 'timemap',
        href: timeMapUri(baseUrl, past.uri, 'link', asked.page),
        type: linkFormat,
      };
      reply.header('link', formatLink(self, past.uri));
      return send(deps, request, reply, asked.form, page);
    },
  });
}

interface TimeMapAddress {
  readonly form: TimeMapForm;
  readonly page: number;
  readonly uri: string;
}

function readAddress(rest: string): TimeMapAddress | undefined {
  const [, name, page = '1', uri = ''] = /^([a-z]+)\/(?:([1-9]\d{0,8})\/)?(.*)$/s.exec(rest) ?? [];
  const form = timeMapForms.find((one) => one === name);
  return form && { form, page: Number(page), uri };
}

/** More pages than that are named without what they cover. */
const pagesDescribed = 100;

async function readPage(
  baseUrl: string,
  past: Past,
  { count, first, last }: NonNullable<Past['span']>,
  page: number,
): Promise<TimeMapPage> {
  const pages = Math.ceil(count / pageSize);
  if (page > pages) {
    throw new Refusal('not-found', `this TimeMap has ${countOf(pages, 'page')}`);
  }
  const datetimes = await past.list((page - 1) * pageSize, pageSize);
  return {
    baseUrl,
    uri: past.uri,
    page,
    pages,
    datetimes,
    first,
    last,
    bounds: await boundsOf(past, pages),
    gaps: past.gaps ?? [],
  };
}

/** The end of each page but the last, and the beginning of the one behind it. */
async function boundsOf(past: Past, pages: number): Promise<TimeMapPage['bounds']> {
  const edges = pages > pagesDescribed ? [] : Array.from({ length: pages - 1 }, (_, index) => index + 1);
  return Promise.all(
    edges.map(async (page) => {
      const [until, from] = await past.list(page * pageSize - 1, 2);
      return { until, from };
    }),
  );
}

function send(
  deps: ServerDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  form: TimeMapForm,
  page: TimeMapPage,
): FastifyReply {
  if (form === 'html') return sendTaggedPage(deps, request, reply, (reader) => toTimeMapHtml(page, reader));
  const body = Buffer.from(form === 'json' ? toTimeMapJson(page) : toLinkFormat(page));
  reply.type(form === 'json' ? 'application/json' : linkFormat);
  return sendTagged(request, reply, { etag: tagOf(body, 'strong'), body });
}
