import type { AdapterContext, AdapterSettings } from '../../../src/core/adapter.ts';
import { asHandle, asId } from '../rest/json-value.ts';

/** What an item is called here, see `AdapterSettings.identity`. */
export class ItemIdentity {
  /** Undefined: items go by their ids. */
  readonly host: string | undefined;

  constructor(host: string | undefined) {
    this.host = host;
  }

  identifierOf(handle: string | undefined, id: string): string {
    return this.host === undefined || handle === undefined ? id : `oai:${this.host}:${handle}`;
  }

  /** What to ask for; undefined: it was never one of ours. */
  keyOf(identifier: string): { readonly handle: string } | { readonly id: string } | undefined {
    const id = asId(identifier);
    if (id !== undefined) return { id };
    const { host, handle } = parseOaiIdentifier(identifier) ?? {};
    return this.host === undefined || host !== this.host || handle === undefined ? undefined : { handle };
  }

  /** Undefined for what goes by an id. */
  handleOf(identifier: string): string | undefined {
    return parseOaiIdentifier(identifier)?.handle;
  }

  /** The same item by its name in the repository's OAI-PMH; undefined where only its handle would tell. */
  fromOai(oaiIdentifier: string): string | undefined {
    const { handle } = parseOaiIdentifier(oaiIdentifier) ?? {};
    return this.host === undefined || handle === undefined ? undefined : `oai:${this.host}:${handle}`;
  }
}

/** `oai:repo.example.org:123456789/12`. */
export function parseOaiIdentifier(identifier: string): { host: string; handle: string } | undefined {
  const [, host, rest] = /^oai:([^:\s]+):(.+)$/.exec(identifier) ?? [];
  const handle = asHandle(rest);
  return host === undefined || handle === undefined ? undefined : { host, handle };
}

const lesson = 'oai-host';

/**
 * The first who knows: the operator, what is in store, what was learnt, the OAI-PMH endpoint; else it is the host of
 * the address.
 * @param introduced what host the endpoint says that its identifiers are made with
 */
export async function resolveIdentity(
  { identity = 'oai' }: Pick<AdapterSettings, 'identity'>,
  { lessons, knownIdentifier }: Pick<AdapterContext, 'lessons' | 'knownIdentifier'>,
  base: string,
  introduced: string | undefined,
): Promise<ItemIdentity> {
  if (identity === 'uuid') return new ItemIdentity(undefined);
  if (identity !== 'oai') return new ItemIdentity(identity.slice('oai:'.length));
  const stored = parseOaiIdentifier((await knownIdentifier?.()) ?? '')?.host;
  const remembered = stored ?? lessons.get(lesson);
  if (remembered !== undefined) return new ItemIdentity(remembered);
  const host = introduced ?? new URL(base).hostname;
  lessons.learn(lesson, host, `Its items are called oai:${host}:HANDLE.`);
  return new ItemIdentity(host);
}
