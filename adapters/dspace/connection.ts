import type {
  AdapterContext,
  AdapterSettings,
  MetadataFormat,
  RepositoryInfo,
} from '../../src/core/adapter.ts';
import { crosswalkFormats, isCrosswalkFormat, usualFormats } from '../../src/core/crosswalks/crosswalk.ts';
import type { OaiSupplement } from '../../src/core/dspace/oai-supplement.ts';
import { CollectionTree } from './items/collection-tree.ts';
import { ItemReader } from './items/item-reader.ts';
import { VersionHistories } from './items/versions.ts';
import { asText } from './rest/json-value.ts';
import { decideIdentifiers, type IdentifierOf } from './rest/oai-host.ts';
import { openRestService, type RestService } from './rest/rest-service.ts';
import type { Session } from './rest/session.ts';
import { openSupplement } from './supplement.ts';

/** What one run reads a DSpace with. */
export interface Connection {
  readonly rest: RestService;
  readonly identifierOf: IdentifierOf;
  readonly collections: CollectionTree;
  readonly versions: VersionHistories;
  readonly reader: ItemReader;
  /** Formats of its OAI-PMH endpoint; undefined: none are configured. */
  readonly supplement: OaiSupplement | undefined;
}

/**
 * Finds the REST API and prepares everything that reads through it.
 * @param login makes a session at the API, once it is known where that is; undefined: nobody logs in
 * @throws BridgeError when it does not answer; `upstream-login-refused`
 */
export async function connect(
  settings: AdapterSettings,
  context: AdapterContext,
  login: (base: string) => Session | undefined,
  signal: AbortSignal,
): Promise<Connection> {
  const rest = await openRestService(settings, context, signal);
  const session = login(rest.base);
  await session?.open(signal);
  const identifierOf = await decideIdentifiers(rest, settings, context, signal);
  const supplement = await openSupplement(rest, settings, context, identifierOf, signal);
  const collections = new CollectionTree(rest, context);
  const versions = new VersionHistories(rest, session, context);
  const reader: ItemReader = new ItemReader({
    rest,
    settings,
    context,
    identifierOf,
    collections,
    versions: (json, within) => versions.readPrior(json, reader, within),
  });
  return { rest, identifierOf, collections, versions, reader, supplement };
}

/** What the repository says of itself, and what is read of it. */
export function introduce(
  { rest: { root, base, moved }, supplement }: Connection,
  settings: AdapterSettings,
): RepositoryInfo {
  return {
    name: asText(root.dspaceName)?.trim().slice(0, 300) || new URL(base).host,
    protocol: 'DSpace REST',
    protocolVersion: /\d+(?:\.\d+)*(?:-[\w.]+)?/.exec(asText(root.dspaceVersion) ?? '')?.[0] ?? 'unknown',
    baseUrl: base,
    moved,
    deletedRecords: 'no',
    granularity: 'second',
    formats: formatsOf(settings, supplement),
    triage: 'each',
  };
}

/** Names of the formats that are made from items themselves, as configured. */
export function ownFormats({ formats }: Pick<AdapterSettings, 'formats'>): readonly string[] {
  return formats ?? usualFormats;
}

function formatsOf(
  settings: AdapterSettings,
  supplement: OaiSupplement | undefined,
): readonly MetadataFormat[] {
  const selected = ownFormats(settings);
  const more = (supplement?.formats ?? []).filter(({ name }) => !selected.includes(name));
  const own = crosswalkFormats
    .filter(({ name }) => !more.some((format) => format.name === name))
    .map(({ name, profile, schema }) => ({
      name,
      namespace: profile,
      schema,
      selected: selected.includes(name),
      offered: true,
      // The list of an item's files is part of that document, though they are not read from it.
      ...(name === 'json' ? { fileRank: 0 } : {}),
    }));
  const unknown = selected
    .filter((name) => !isCrosswalkFormat(name))
    .map((name) => ({ name, selected: true, offered: false }));
  return [...own, ...unknown, ...more];
}
