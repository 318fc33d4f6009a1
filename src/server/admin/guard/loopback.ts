import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { createClientAddress } from '../../connections/client-address.ts';
import type { ServerDeps } from '../../deps.ts';

const directly = createClientAddress([]);

/** Where a request comes from, as far as that can be told. */
export function addressOf(
  { clientOf = directly }: Pick<ServerDeps, 'clientOf'>,
  { raw }: FastifyRequest,
): string {
  return clientOf(raw);
}

/** What proxies say of themselves; one that names no client may pass anybody on. */
const marks = ['forwarded', 'via', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/** @param address of IPv6 the network, as `createClientAddress` has it */
export function isLoopback({ headers }: Pick<IncomingMessage, 'headers'>, address: string): boolean {
  const isOwn = address.startsWith('127.') || address === '::';
  const named = headers['x-forwarded-for'] !== undefined;
  return isOwn && (named || !marks.some((name) => headers[name] !== undefined));
}
