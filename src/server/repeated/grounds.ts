import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { ServerDeps } from '../deps.ts';
import { isOpen } from '../privacy.ts';

/** What an answer was made of. */
export interface Grounds {
  /** The name of its route, in metrics and logs. */
  readonly operationId: string;
  /** Whether all of it is as it was: then the same request has the same answer. */
  hold(): boolean | Promise<boolean>;
}

const known = new WeakMap<ServerResponse, Grounds>();

/**
 * Says that an answer may be given again as long as its grounds hold. To be called with what was known **before** anything
 * that the answer is made of was read.
 */
export function repeatable(reply: FastifyReply, grounds: Grounds): void {
  known.set(reply.raw, grounds);
}

export function groundsOf(response: ServerResponse): Grounds | undefined {
  return known.get(response);
}

type SourceDeps = Pick<
  ServerDeps,
  'servesSource' | 'privacy' | 'setsOf' | 'jointSets' | 'mementosOf' | 'fileMode'
>;

/** @returns whether the configuration says of a source what it says now; what is not sure counts as a change */
export function settingsOf(deps: SourceDeps, source: string): () => boolean {
  const [sets, mementos, mode] = [deps.setsOf(source), deps.mementosOf?.(source), deps.fileMode(source)];
  const joint = deps.jointSets?.();
  return () =>
    isServed(deps, source) &&
    deps.setsOf(source) === sets &&
    deps.jointSets?.() === joint &&
    deps.mementosOf?.(source) === mementos &&
    deps.fileMode(source) === mode;
}

/** @returns whether the database has what it has now; undefined: it does not say */
export function editionOf({ database }: Pick<ServerDeps, 'database'>): (() => boolean) | undefined {
  const edition = database.edition();
  return edition === undefined ? undefined : () => database.edition() === edition;
}

/** Where the database does not say: nothing that it is asked for holds. */
export const never = () => false;

/** To everybody. Of a source that is not configured the database is asked, and not here. */
export function isServed(deps: Pick<ServerDeps, 'servesSource' | 'privacy'>, source: string): boolean {
  const { servesSource } = deps;
  if (!isOpen(deps, source)) return false;
  const served = servesSource?.(source) ?? true;
  if (typeof served === 'boolean') return served;
  served.catch(() => undefined);
  return false;
}
