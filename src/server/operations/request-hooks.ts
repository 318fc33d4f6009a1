import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { redactKnown } from '../../core/secrets.ts';
import { hasSeveralHosts } from '../connections/hosts.ts';
import type { ServerDeps } from '../deps.ts';
import { Refusal } from '../http/errors.ts';
import type { RequestMetrics } from '../request-metrics.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The name of the route in metrics, logs and the API description. */
    operationId?: string;
    /** Public data that pages of any origin may read. */
    open?: boolean;
    /** It changes something, and takes other methods than GET and HEAD. */
    acts?: boolean;
  }
}

/** Longer than anything of ours: segments have at most 200 bytes. */
const longestTarget = 8192;

/** What a page of another origin may ask with (Accept-Datetime is nothing that a browser sends unasked). */
const preflightHeaders = {
  'access-control-allow-methods': 'GET, HEAD',
  'access-control-allow-headers':
    'Accept, Accept-Datetime, If-Match, If-Modified-Since, If-None-Match, If-Range, If-Unmodified-Since, Range',
  'access-control-max-age': '86400',
} as const;

/** What every request passes: refusals, security headers, the metrics. */
export function installRequestHooks(app: FastifyInstance, deps: ServerDeps, metrics: RequestMetrics): void {
  const { admit } = deps;
  const acting = new ActingRoutes();
  // None of these waits for anything, as a rule: each promise of theirs would be one more for every request.
  app.addHook('onRequest', (request, reply, done) => {
    setCommonHeaders(deps, request, reply);
    if (hasSeveralHosts(request.raw)) {
      reply.header('connection', 'close');
      return done(new Refusal('bad-request', 'the request has more than one Host field'));
    }
    if (isPreflight(request)) return done();
    if (request.method !== 'GET' && request.method !== 'HEAD' && !request.routeOptions.config?.acts) {
      // The body, if any, is not read: this connection cannot be used again.
      reply.header('connection', 'close');
      const allow = { allow: ['GET', 'HEAD', ...acting.methodsAt(request.url)].join(', ') };
      return done(new Refusal('method-not-allowed', `${request.method} is not supported`, allow));
    }
    if (request.originalUrl.length > longestTarget)
      return done(new Refusal('uri-too-long', 'the address is too long'));
    if (!admit) return done();
    const { accept, 'user-agent': agent } = request.headers;
    admit({ target: request.url, accept, agent }).then(() => done(), done);
  });
  app.addHook('onRoute', ({ url, config, method }) => {
    if (config?.acts) acting.add(url, method);
    if (method === 'OPTIONS' || config?.needs !== undefined || config?.acts) return;
    app.route({
      method: 'OPTIONS',
      url,
      config: { operationId: 'preflight', open: config?.open === true },
      handler: async (_request, reply) => reply.code(204).headers(preflightHeaders).send(),
    });
  });
  // Pages, and what monitors read, are texts; representations are bytes, and are never changed.
  app.addHook('onSend', (_request, _reply, payload, done) =>
    done(null, typeof payload === 'string' ? redactKnown(payload) : payload),
  );
  app.addHook('onResponse', (request, reply, done) => {
    metrics.observe(
      request.routeOptions.config?.operationId ?? 'none',
      reply.statusCode,
      reply.elapsedTime / 1000,
    );
    done();
  });
}

/** Where something is changed, and by which methods. */
class ActingRoutes {
  readonly #routes: { readonly pattern: RegExp; readonly methods: readonly string[] }[] = [];

  /** @param url as the router has it: `/:source/oai` */
  add(url: string, methods: string | readonly string[]): void {
    const segments = url
      .split('/')
      .map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')));
    this.#routes.push({ pattern: new RegExp(`^${segments.join('/')}$`), methods: [methods].flat() });
  }

  /** RFC 9110 §10.2.1: what an address takes beside GET and HEAD. */
  methodsAt(target: string): ReadonlySet<string> {
    const path = target.replace(/\?.*$/s, '');
    return new Set(this.#routes.flatMap(({ pattern, methods }) => (pattern.test(path) ? methods : [])));
  }
}

/** Asked by a browser before it asks what it was told to (Fetch §4.8). */
function isPreflight({ method, headers, routeOptions }: FastifyRequest): boolean {
  return (
    method === 'OPTIONS' &&
    headers['access-control-request-method'] !== undefined &&
    routeOptions.config?.open === true
  );
}

export function setCommonHeaders(deps: ServerDeps, request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(commonHeaders(deps, request.routeOptions.config?.open === true));
}

/** What every answer has. @param open whether pages of any origin may read it */
export function commonHeaders(
  { version }: Pick<ServerDeps, 'version'>,
  open: boolean,
): Record<string, string> {
  return {
    server: `resourcesync-bridge/${version}`,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    // Metadata from upstream is XML that a browser would run scripts from; pages have a policy of their own.
    'content-security-policy':
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ...(open && {
      'access-control-allow-origin': '*',
      'access-control-expose-headers':
        'Accept-Ranges, Content-Disposition, Content-Encoding, Content-Length, Content-Location, Content-Range, ETag, Link, Location, Memento-Datetime, Repr-Digest, Vary',
    }),
  };
}
