import type { FastifyInstance } from 'fastify';
import type { ServerDeps } from '../deps.ts';
import { sendTagged, tagOf } from '../http/tagged-text.ts';
import { type DescribedRoute, describeApi, isDescribed } from './describe-api.ts';

const type = 'application/vnd.oai.openapi+json;version=3.1';
const catalogPath = '.well-known/api-catalog';
const apiDescriptionPath = 'api/openapi.json';

/** Where programs learn what else there is: the header of an answer that everybody begins at. */
export function apiLinks(baseUrl: string): string {
  return [
    `<${baseUrl}/${apiDescriptionPath}>; rel="service-desc"; type="application/vnd.oai.openapi+json"`,
    `<${baseUrl}/${catalogPath}>; rel="api-catalog"`,
  ].join(', ');
}

/**
 * The description of all routes that are registered after this, and of its own: OpenAPI 3.1, and the catalogue that leads
 * there (RFC 9727).
 */
export function openapiRoutes(app: FastifyInstance, deps: ServerDeps): void {
  const routes: DescribedRoute[] = [];
  app.addHook('onRoute', (route) => {
    if (isDescribed(route)) routes.push(route);
  });
  const described = once(() => toAnswer(`${JSON.stringify(describeApi(deps, routes), null, 2)}\n`));
  const catalog = toAnswer(`${JSON.stringify(toCatalog(deps.baseUrl), null, 2)}\n`);
  app.route({
    method: ['GET', 'HEAD'],
    url: `/${apiDescriptionPath}`,
    config: { operationId: 'getApiDescription', open: true },
    handler: (request, reply) =>
      sendTagged(request, reply.type(type).header('cache-control', 'no-cache'), described()),
  });
  app.route({
    method: ['GET', 'HEAD'],
    url: `/${catalogPath}`,
    config: { operationId: 'getApiCatalog', open: true },
    handler: (request, reply) => {
      // RFC 9727 §2: it names itself.
      reply.header('link', `<${deps.baseUrl}/${catalogPath}>; rel="api-catalog"`);
      reply.type('application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"');
      return sendTagged(request, reply.header('cache-control', 'no-cache'), catalog);
    },
  });
}

function toAnswer(text: string): { readonly etag: string; readonly body: Buffer } {
  const body = Buffer.from(text);
  return { etag: tagOf(body, 'strong'), body };
}

/** Built when it is first asked for: then all routes are there. */
function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function toCatalog(baseUrl: string): object {
  return {
    linkset: [
      {
        anchor: `${baseUrl}/`,
        'service-desc': [
          { href: `${baseUrl}/${apiDescriptionPath}`, type: 'application/vnd.oai.openapi+json' },
        ],
        'service-doc': [{ href: `${baseUrl}/about`, type: 'text/html' }],
        status: [{ href: `${baseUrl}/readyz`, type: 'application/json' }],
        'service-meta': [{ href: `${baseUrl}/.well-known/resourcesync`, type: 'application/xml' }],
      },
    ],
  };
}
