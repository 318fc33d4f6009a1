import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServerDeps } from '../../deps.ts';
import { basePathOf } from './admin-server.ts';

const name = 'rsbridge_session';

/** Undefined also where there are two: then one of them was set by somebody else. */
export function readSessionCookie({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const found = (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  const [value] = found;
  return found.length === 1 && value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined;
}

/** @param secret undefined: there is no session any more */
export function setSessionCookie(
  deps: Pick<ServerDeps, 'baseUrl'>,
  request: Pick<FastifyRequest, 'headers'>,
  reply: FastifyReply,
  secret: string | undefined,
): void {
  const parts = [
    `${name}=${secret ?? ''}`,
    `Path=${basePathOf(deps) || '/'}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure(deps, request) ? ['Secure'] : []),
    ...(secret === undefined ? ['Max-Age=0'] : []),
  ];
  reply.header('set-cookie', parts.join('; '));
}

/** Whether it came by https: the browser says so; a program may not, and the public address decides. */
function isSecure(
  { baseUrl }: Pick<ServerDeps, 'baseUrl'>,
  { headers }: Pick<FastifyRequest, 'headers'>,
): boolean {
  const base = new URL(baseUrl);
  const { origin } = headers;
  if (origin === undefined || !URL.canParse(origin)) return base.protocol === 'https:';
  const { protocol, host } = new URL(origin);
  return protocol === 'https:' || (base.protocol === 'https:' && host === base.host);
}
