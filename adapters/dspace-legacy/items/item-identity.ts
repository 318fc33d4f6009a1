import type { AdapterContext, AdapterSettings } from '../../../src/core/adapter.ts';
import {
  knownOaiHost,
  type OaiName,
  oaiHostLesson,
  readOaiName,
  toOaiName,
} from '../../../src/core/dspace/oai-name.ts';
import { say } from '../../../src/core/reasons/reason.ts';
import { asHandle, asId } from '../rest/json-value.ts';

/** What an item is called here, see `AdapterSettings.identity`. */
export class ItemIdentity {
  /** Undefined: items go by their ids. */
  readonly host: string | undefined;

  constructor(host: string | undefined) {
    this.host = host;
  }

  identifierOf(handle: string | undefined, id: string): string {
    return this.host === undefined || handle === undefined ? id : toOaiName(this.host, handle);
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
    return this.host === undefined || handle === undefined ? undefined : toOaiName(this.host, handle);
  }
}

/** Its handle becomes a part of URLs: undefined for what has another form. */
export function parseOaiIdentifier(identifier: string): OaiName | undefined {
  const name = readOaiName(identifier);
  return asHandle(name?.handle) === undefined ? undefined : name;
}

/**
 * The first who knows: the operator, what is in store, what was learnt, the OAI-PMH endpoint; else it is the host of
 * the address.
 * @param ask what host the identifiers of the endpoint are made with; undefined: there is none that says so
 */
export async function resolveIdentity(
  settings: Pick<AdapterSettings, 'identity'>,
  context: Pick<AdapterContext, 'lessons' | 'knownIdentifier'>,
  base: string,
  ask: () => Promise<string | undefined>,
): Promise<ItemIdentity> {
  if (settings.identity === 'uuid') return new ItemIdentity(undefined);
  const known = await knownOaiHost(settings, context);
  if (known !== undefined) return new ItemIdentity(known);
  const host = (await ask()) ?? new URL(base).hostname;
  context.lessons.learn(oaiHostLesson, host, say('items-called', { host, why: '' }));
  return new ItemIdentity(host);
}
