import { STATUS_CODES } from 'node:http';
import type { TObject, TSchema } from '@sinclair/typebox';
import type { RouteOptions } from 'fastify';
import type { ServerDeps } from '../deps.ts';
import { type Answer, type Operation, type Parameter, tags } from './operation.ts';
import { publicOperations } from './public-operations.ts';
import { pushOperations } from './push-operations.ts';
import { problemView } from './view-schemas.ts';

export type DescribedRoute = Pick<RouteOptions, 'method' | 'url' | 'schema' | 'config'>;

/** At which there may be something of a private source. */
const privately = /\{(?:source|uri)\}|^\/search$/;

/** Everybody's answers to what cannot be answered. */
const always = [405, 414, 500] as const;

/** @returns the operation of a route; undefined where nobody has described it */
export function operationOf({ config }: DescribedRoute): Operation | undefined {
  const { operation, operationId = '' } = config ?? {};
  return operation ?? publicOperations[operationId] ?? pushOperations[operationId];
}

/** The dashboard is for people at a browser; programs have the same below `/api/v1`. */
export function isDescribed({ url, config }: DescribedRoute): boolean {
  return config?.operationId !== 'preflight' && !/^\/admin(?:\/|$)/.test(url);
}

/**
 * The description of all routes, as OpenAPI 3.1.
 * @throws Error where a route has no description
 */
export function describeApi(
  deps: Pick<ServerDeps, 'baseUrl' | 'title' | 'version'>,
  routes: readonly DescribedRoute[],
): object {
  const paths: Record<string, Record<string, object>> = {};
  const given = new Map<string, number>();
  for (const route of routes) {
    const operation = operationOf(route);
    if (!operation) throw new Error(`${route.url} has no description`);
    for (const path of operation.paths ?? [toTemplate(route.url, operation)]) {
      const methods = paths[path] ?? {};
      paths[path] = methods;
      for (const method of methodsOf(route)) {
        // A name may be given once: an operation at several addresses has numbers.
        const name = method === 'HEAD' ? `${route.config?.operationId}Head` : `${route.config?.operationId}`;
        const number = (given.get(name) ?? 0) + 1;
        given.set(name, number);
        const operationId = number === 1 ? name : `${name}${number}`;
        methods[method.toLowerCase()] = describeOperation(route, operation, path, method, operationId);
      }
    }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: deps.title,
      version: deps.version,
      description:
        'A ResourceSync Source (ANSI/NISO Z39.99-2017) with Memento (RFC 7089) by resourcesync-bridge. Errors are problem documents (RFC 9457).',
    },
    servers: [{ url: deps.baseUrl }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: { Problem: problemView },
      responses: { Problem: problemResponse },
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'An API token, `rsb_…`.' },
        password: {
          type: 'http',
          scheme: 'basic',
          description: 'Of a private source: any user name, and the token as its password.',
        },
      },
    },
  };
}

const problemResponse = {
  description: 'A problem document, or a page for whoever prefers HTML.',
  headers: {
    'Retry-After': header('With 503, 429 and `key-busy`: seconds until it is worth asking again.'),
  },
  content: {
    'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
    'text/html': {},
  },
};

function describeOperation(
  { schema, config }: DescribedRoute,
  operation: Operation,
  path: string,
  method: string,
  operationId: string,
): object {
  const { summary, description, tag, answers } = operation;
  const mayBePrivate = config?.needs === undefined && privately.test(path);
  const isRepeatable = config?.acts === true && config.needs !== undefined;
  const problems = [
    ...(operation.problems ?? []),
    ...(mayBePrivate ? ([401, 429] as const) : []),
    ...(isRepeatable ? ([409, 422] as const) : []),
  ];
  const isHead = method === 'HEAD';
  const responses: Record<string, object> = {};
  for (const [status, answer] of Object.entries(answers)) responses[status] = describeAnswer(answer, isHead);
  for (const status of [...problems, ...always])
    responses[String(status)] ??= isHead
      ? { description: STATUS_CODES[status] ?? String(status) }
      : { $ref: '#/components/responses/Problem' };
  const body = schema?.body as TSchema | undefined;
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    tags: [tag],
    parameters: [
      ...pathParameters(path, operation),
      ...queryParameters(schema?.querystring),
      ...(isRepeatable ? [idempotencyKey] : []),
    ],
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses,
    ...(config?.needs && {
      security: [{ token: [] }],
      description: withScope(description, config.needs),
    }),
    // Nothing is needed for what is for everybody.
    ...(mayBePrivate && { security: [{}, { token: [] }, { password: [] }] }),
    ...(config?.open && { 'x-cors': 'any origin' }),
  };
}

/** Of whatever changes something. */
const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A string of 1 to 255 characters, best a UUID, between quotation marks. For 24 hours the same request with it is not done again: the first answer comes again, with `Idempotent-Replayed: true`. Another request with it gets 422; while the first is being answered, 409 with `Retry-After`.',
  required: false,
  schema: { type: 'string', maxLength: 512 },
  example: '"8e03978e-40d5-43e8-bc93-6894a57f9324"',
};

function withScope(description: string | undefined, scope: string): string {
  const needed = `Needs a token with the scope \`${scope}\`.`;
  return description === undefined ? needed : `${description} ${needed}`;
}

function describeAnswer({ description, content, headers }: Answer, isHead: boolean): object {
  return {
    description,
    ...(headers && {
      headers: Object.fromEntries(Object.entries(headers).map(([name, says]) => [name, header(says)])),
    }),
    ...(content &&
      !isHead && {
        content: Object.fromEntries(
          Object.entries(content).map(([type, schema]) => [type, schema ? { schema } : {}]),
        ),
      }),
  };
}

function header(description: string): object {
  return { description, schema: { type: 'string' } };
}

function pathParameters(path: string, { parameters = [] }: Operation): readonly object[] {
  const named = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']): Parameter => {
    const known = parameters.find((one) => one.in === 'path' && one.name === name);
    return known ?? { name, in: 'path', description: name };
  });
  return [...named, ...parameters.filter((one) => one.in === 'header')].map(
    ({ name, in: place, description, example }) => ({
      name,
      in: place,
      description,
      required: place === 'path',
      schema: { type: 'string' },
      ...(example !== undefined && { example }),
    }),
  );
}

function queryParameters(schema: unknown): readonly object[] {
  const { properties = {}, required = [] } = (schema ?? {}) as Partial<TObject>;
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: 'query',
    ...(description !== undefined && { description }),
    required: required.includes(name),
    schema: rest,
  }));
}

function methodsOf({ method }: DescribedRoute): readonly string[] {
  const methods = Array.isArray(method) ? method : [method];
  return methods.filter((one) => one !== 'OPTIONS');
}

/** `/:source/items/:item` → `/{source}/items/{item}`; what is verbatim behind it is its own parameter. */
function toTemplate(url: string, { parameters = [] }: Operation): string {
  const rest = parameters.find(({ name }) => name === 'uri')?.name ?? 'path';
  return url.replace(/:([a-zA-Z]+)/g, '{$1}').replace('*', `{${rest}}`);
}
