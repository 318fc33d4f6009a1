import type { AdapterContext, AdapterSettings } from '../adapter.ts';

/** What DSpace's OAI-PMH endpoint calls an item: `oai:repo.example.org:123456789/12`. */
export interface OaiName {
  readonly host: string;
  readonly handle: string;
}

const form = /^oai:([^:\s]+):(\S+)$/;

export function toOaiName(host: string, handle: string): string {
  return `oai:${host}:${handle}`;
}

/** Whatever its host; undefined: it is no such name. */
export function readOaiName(identifier: string | undefined): OaiName | undefined {
  const [, host, handle] = form.exec(identifier ?? '') ?? [];
  return host === undefined || handle === undefined ? undefined : { host, handle };
}

/** A host that a server states, before it becomes a part of names. */
export function isOaiHost(host: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/.test(host);
}

/** The lesson that keeps the host once it was found out. */
export const oaiHostLesson = 'oai-host';

/**
 * The host in the names of a source's items, without asking the repository. The first who knows: the operator, what
 * is in store, what was learnt; undefined: nobody yet.
 */
export async function knownOaiHost(
  { identity = 'oai' }: Pick<AdapterSettings, 'identity'>,
  { lessons, knownIdentifier }: Pick<AdapterContext, 'lessons' | 'knownIdentifier'>,
): Promise<string | undefined> {
  if (identity.startsWith('oai:')) return identity.slice('oai:'.length);
  return readOaiName(await knownIdentifier?.())?.host ?? lessons.get(oaiHostLesson);
}
