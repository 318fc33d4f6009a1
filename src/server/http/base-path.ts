import type { IncomingMessage } from 'node:http';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';

/**
 * The one place where a request target becomes a path of ours. A proxy in front may strip the path of
 * `baseUrl` or leave it: both are understood. A URI within it (RFC 7089) is passed on as it came, encoded once: it
 * may belong to another Source, and no router has to understand it.
 */
export function createRewrite(baseUrl: string): (request: Pick<IncomingMessage, 'url'>) => string {
  const read = createTargetReader(baseUrl);
  return ({ url = '/' }) => {
    const { path, uri, query } = read(url);
    return `${path}${uri === undefined ? '' : encodeURIComponent(uri)}${query}`;
  };
}

export interface Target {
  /** With its leading slash; of a service of RFC 7089 the beginning, with the slash at its end. */
  readonly path: string;
  /** Of such a service what follows, as it came. */
  readonly uri: string | undefined;
  /** With its question mark; empty: there is none. */
  readonly query: string;
}

/** The same in its parts. */
export function createTargetReader(baseUrl: string): (target: string) => Target {
  const prefix = normalize(new URL(baseUrl).pathname.replace(/\/+$/, ''));
  const slashesOfPrefix = prefix.split('/').length - 1;
  return (url) => {
    const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '');
    const start = target.indexOf('?');
    const raw = start < 0 ? target : target.slice(0, start);
    const query = start < 0 ? '' : target.slice(start);
    const path = normalize(raw);
    const isWhole = path === prefix || path.startsWith(`${prefix}/`);
    const below = isWhole ? path.slice(prefix.length) : path;
    const [service] = services.exec(below) ?? [];
    if (service !== undefined)
      return { path: service, uri: behind(raw, 2 + (isWhole ? slashesOfPrefix : 0)), query };
    return { path: `${below.startsWith('/') ? '' : '/'}${below}`, uri: undefined, query };
  };
}

/** Those of RFC 7089: what follows is a URI, or ends with one. */
const services = /^\/(?:memento|timegate|timemap)\//;

/** What comes behind so many slashes. */
function behind(path: string, slashes: number): string {
  let start = 0;
  for (let seen = 0; seen < slashes; seen += 1) start = path.indexOf('/', start) + 1;
  return path.slice(start);
}

/** Of a request to such a service: what follows its name, in one piece. */
export const verbatimParams = Type.Object({ '*': Type.String() });
export type VerbatimParams = Static<typeof verbatimParams>;

/** What was asked of such a service: as it came, a query included; but not what the link to another language adds. */
export function verbatimRest(request: FastifyRequest<{ Params: VerbatimParams }>): string {
  const query = request.url.indexOf('?');
  return `${request.params['*']}${query < 0 ? '' : request.url.slice(query).replace(/[?&]lang=[^&]*$/, '')}`;
}

/**
 * What a document or a resource can be called, without the leading slash. Everything hostile (empty and dot
 * segments, NUL, encoded slashes, what is still encoded after one decoding) has no such path.
 */
export function servedPath(request: FastifyRequest): string | undefined {
  const [path = ''] = request.url.split('?', 1);
  return isServedPath(path) ? path.slice(1) : undefined;
}

/** @param path with its leading slash */
export function isServedPath(path: string): boolean {
  return ours.test(path) && !dotSegment.test(path);
}

const ours = /^(?:\/[A-Za-z0-9._:~-]+)+$/;
const dotSegment = /\/\.{1,2}(?:\/|$)/;

/** RFC 3986 §6.2.2.2 for the characters our paths are made of; decoded once, never twice. */
export function normalize(path: string): string {
  // Nearly all of them.
  if (!path.includes('%')) return path;
  return path.replace(/%[0-9A-Fa-f]{2}/g, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    return /[A-Za-z0-9._:~-]/.test(character) ? character : encoded;
  });
}
