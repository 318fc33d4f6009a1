import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';

/**
 * The one place where a request target becomes a path of ours. A proxy in front may strip the path of
 * `baseUrl` or leave it: both are understood.
 */
export function createRewrite(baseUrl: string): (request: Pick<IncomingMessage, 'url'>) => string {
  const prefix = normalize(new URL(baseUrl).pathname.replace(/\/+$/, ''));
  return ({ url = '/' }) => {
    const target = url.replace(/^https?:\/\/[^/?#]*/i, '');
    const query = target.indexOf('?');
    const path = normalize(query < 0 ? target : target.slice(0, query));
    const below = path === prefix || path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;
    return `${below.startsWith('/') ? '' : '/'}${below}${query < 0 ? '' : target.slice(query)}`;
  };
}

/**
 * What a document or a resource can be called, without the leading slash. Everything hostile (empty and dot
 * segments, NUL, encoded slashes, what is still encoded after one decoding) has no such path.
 */
export function servedPath(request: FastifyRequest): string | undefined {
  const [path = ''] = request.url.split('?', 1);
  return ours.test(path) && !dotSegment.test(path) ? path.slice(1) : undefined;
}

const ours = /^(?:\/[A-Za-z0-9._:~-]+)+$/;
const dotSegment = /\/\.{1,2}(?:\/|$)/;

/** RFC 3986 §6.2.2.2 for the characters our paths are made of; decoded once, never twice. */
function normalize(path: string): string {
  return path.replace(/%[0-9A-Fa-f]{2}/g, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    return /[A-Za-z0-9._:~-]/.test(character) ? character : encoded;
  });
}
