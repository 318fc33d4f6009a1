import type { FastifyRequest } from 'fastify';
import { toIso } from '../../core/datetime.ts';
import { nameOfSet, type ResourceSet } from '../../core/resource-set.ts';
import { countContentAttempt, waitForContent } from '../../store/admin/attempts.ts';
import { hashOf } from '../../store/admin/secret-text.ts';
import { findReadableSets, findToken } from '../../store/admin/tokens.ts';
import { createClientAddress } from '../connections/client-address.ts';
import type { ServerDeps } from '../deps.ts';
import { Refusal } from '../http/errors.ts';
import type { PrivateParts } from '../privacy.ts';
import type { Place } from './asked-for.ts';
import { isWithin } from './within-sets.ts';

/** One and the same, whatever is there or not, and whatever was sent instead of a token. */
const challenge = { 'www-authenticate': 'Basic realm="private", charset="UTF-8", Bearer realm="private"' };

/**
 * @returns that a request has a token for what it asks for
 * @throws Refusal `token-needed`, `too-many-attempts`
 */
export async function checkToken(
  deps: ServerDeps,
  request: FastifyRequest,
  place: Place,
  parts: PrivateParts,
): Promise<void> {
  const { database } = deps;
  const secret = readSecret(request);
  if (secret === undefined) throw tokenNeeded();
  const now = toIso(deps.clock.now());
  const address = (deps.clientOf ?? directly)(request.raw);
  refuseWhile(await waitForContent(database, address, now));
  const verdict = await judge(deps, secret, place, parts);
  if (verdict === 'opens') return;
  // Who has one that is for something else has guessed nothing.
  if (verdict === 'unknown') refuseWhile(await countContentAttempt(database, address, now));
  throw tokenNeeded();
}

/** What a token is to a place: it may be for a set of its source alone. */
export async function judge(
  deps: Pick<ServerDeps, 'database' | 'clock' | 'setsOf'>,
  secret: string,
  { source, path }: Place,
  { hashes, alias }: PrivateParts,
): Promise<'opens' | 'elsewhere' | 'unknown'> {
  if (hashes.has(hashOf(secret))) return 'opens';
  const readable = await findReadableSets(deps.database, secret, toIso(deps.clock.now()));
  if (readable.length === 0) return 'unknown';
  if (readable.includes(source) || (alias !== undefined && readable.includes(alias))) return 'opens';
  const isReadable = (set: ResourceSet) => readable.includes(`${source}/${nameOfSet(set)}`);
  const sets = path === undefined ? [] : deps.setsOf(source).filter(isReadable);
  return path !== undefined && sets.length > 0 && (await isWithin(deps, path, sets)) ? 'opens' : 'elsewhere';
}

/** Whether somebody asks who may look at everything here: a monitor with a token for the dashboard. */
export async function isOperator(
  { database, clock }: Pick<ServerDeps, 'database' | 'clock'>,
  request: FastifyRequest,
): Promise<boolean> {
  const secret = readSecret(request);
  return secret !== undefined && (await findToken(database, secret, toIso(clock.now()))) !== undefined;
}

/** RFC 6750, or RFC 7617 for clients that know nothing else: any name, and the token as password or in place of both. */
export function readSecret({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const [, scheme = '', given = ''] = /^(bearer|basic) +(\S+) *$/i.exec(headers.authorization ?? '') ?? [];
  if (scheme.toLowerCase() !== 'basic') return given === '' ? undefined : given;
  const [name = '', password = ''] = Buffer.from(given, 'base64').toString('utf8').split(/:(.*)/s, 2);
  return password || name || undefined;
}

function tokenNeeded(): Refusal {
  return new Refusal('token-needed', 'what is here is not for everybody', challenge);
}

function refuseWhile(seconds: number): void {
  if (seconds > 0)
    throw new Refusal('too-many-attempts', 'too many wrong tokens came from this address', {
      'retry-after': String(seconds),
    });
}

const directly = createClientAddress([]);
