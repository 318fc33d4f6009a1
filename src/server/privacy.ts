import type { FastifyRequest } from 'fastify';

/** What of the sources is not for everybody. */
export interface Privacy {
  /** Of a source; undefined: nothing. Of one that is not configured any more the database is asked. */
  of(source: string): PrivateParts | undefined | Promise<PrivateParts | undefined>;
  /** Private sources that are configured; the same list as long as the configuration is the same. */
  names(): readonly string[];
  /** The private source that has what a path names as a set of a public one; undefined: it names none. */
  sourceAt?(path: string): string | undefined;
  /** Public sources that have private sets, likewise. */
  divided?(): readonly string[];
}

export interface PrivateParts {
  /** Of the tokens of the configuration that open it (`hashOf`); those of the database do, too. */
  readonly hashes: ReadonlySet<string>;
  /** Of a private set of another source: what it is called there, as SOURCE/SET. */
  readonly alias?: string | undefined;
}

export interface WithPrivacy {
  readonly privacy?: Privacy | undefined;
}

/** Whether all of a source is for everybody; what is not sure is not. */
export function isOpen({ privacy }: WithPrivacy, source: string): boolean {
  if (privacy === undefined) return true;
  const parts = privacy.of(source);
  if (parts instanceof Promise) parts.catch(() => undefined);
  return parts === undefined;
}

const admitted = new WeakMap<FastifyRequest, Set<string>>();

/** Whatever is answered to the request is for whoever sent it alone. @param source what it may read; undefined: nothing */
export function admit(request: FastifyRequest, source: string | undefined): void {
  const sources = admitted.get(request) ?? new Set();
  admitted.set(request, sources);
  if (source !== undefined) sources.add(source);
}

/** Whether the request is about what is not for everybody. */
export function isSheltered(request: FastifyRequest): boolean {
  return admitted.has(request);
}

/** Whether a request may be told of a source that is configured. */
export function isReadable(deps: WithPrivacy, request: FastifyRequest, source: string): boolean {
  return isOpen(deps, source) || admitted.get(request)?.has(source) === true;
}

/** The same of any source. */
export async function mayRead(
  { privacy }: WithPrivacy,
  request: FastifyRequest,
  source: string,
): Promise<boolean> {
  return admitted.get(request)?.has(source) === true || (await privacy?.of(source)) === undefined;
}
