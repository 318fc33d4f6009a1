import type {
  Adapter,
  AdapterContext,
  AdapterKind,
  AdapterSettings,
  Collection,
  IdentifierPage,
  IdentifierRequest,
  MetadataFormat,
  Page,
  PageRequest,
  RepositoryInfo,
  SourceItem,
} from '../../src/core/adapter.ts';
import { circumstancesOfSource } from '../../src/core/crosswalks/circumstances.ts';
import { crosswalkFormats, isCrosswalkFormat, usualFormats } from '../../src/core/crosswalks/crosswalk.ts';
import { toOaiName } from '../../src/core/dspace/oai-name.ts';
import {
  completeItem,
  type OaiSupplement,
  supplementFormats,
  withSupplement,
} from '../../src/core/dspace/oai-supplement.ts';
import { BridgeError, isBridgeError } from '../../src/core/errors.ts';
import { say } from '../../src/core/reasons/reason.ts';
import { CollectionTree, type TreeNode } from './items/collection-tree.ts';
import { type ItemIdentity, resolveIdentity } from './items/item-identity.ts';
import { ItemLookup } from './items/item-lookup.ts';
import { fileOrigin, ItemReader, itemExpand } from './items/item-reader.ts';
import { asObject, asText } from './rest/json-value.ts';
import { LegacyRest } from './rest/rest-service.ts';
import { changedItems } from './walks/changed-items.ts';
import { CollectionWalk, toWalkState } from './walks/collection-walk.ts';
import { findOai, hostOfNames, type OaiCompanion } from './walks/oai-companion.ts';
import { fromCheckpoint, toCheckpoint } from './walks/run-checkpoint.ts';
import { walkedIdentifiers, walkedItems } from './walks/walked-items.ts';

/** DSpace 5 and 6 by their `/rest`, as everybody sees them. */
export const dspaceLegacy: AdapterKind = {
  kind: 'dspace-legacy',
  create: (settings, context) => new DspaceLegacyAdapter(settings, context),
};

/** The repository as far as it has introduced itself. */
interface Connection {
  readonly rest: LegacyRest;
  readonly oai: OaiCompanion | undefined;
  readonly identity: ItemIdentity;
}

/** What items are read with; the tree is as old as it is. */
interface Reading extends Connection {
  readonly tree: CollectionTree;
  readonly reader: ItemReader;
  readonly lookup: ItemLookup;
  readonly supplement: OaiSupplement | undefined;
}

const changesLesson = 'changes';
const defaultBundles = ['ORIGINAL'];

class DspaceLegacyAdapter implements Adapter {
  readonly #settings: AdapterSettings;
  readonly #context: AdapterContext;
  #connection: Connection | undefined;
  #reading: Reading | undefined;

  constructor(settings: AdapterSettings, context: AdapterContext) {
    this.#settings = settings;
    this.#context = context;
  }

  async identify(signal: AbortSignal): Promise<RepositoryInfo> {
    this.#connection = await this.#connect(false, signal);
    const { rest, oai } = this.#connection;
    const more = this.#settings.oaiFormats === undefined ? [] : await this.#oaiFormats(oai, signal);
    return {
      name: oai?.introduction.name ?? (await siteName(rest, signal)) ?? new URL(rest.base).host,
      protocol: 'DSpace REST (legacy)',
      protocolVersion: rest.version ?? '5 or 6',
      baseUrl: rest.base,
      moved: rest.moved,
      deletedRecords: 'no',
      granularity: 'second',
      formats: [...this.#ownFormats(), ...more],
      triage: 'each',
    };
  }

  async *collections(signal: AbortSignal): AsyncGenerator<Collection> {
    const { rest } = this.#connection ?? (await this.#connect(false, signal));
    yield* (await CollectionTree.load(rest, signal)).list();
  }

  async *pages(request: PageRequest, signal: AbortSignal): AsyncGenerator<Page> {
    const isNew = request.mode === 'full' && request.checkpoint === undefined;
    const connection = await this.#connect(isNew, signal);
    const reading = await this.#read(connection, signal);
    const own = (part: PageRequest) => this.#ownPages(reading, part, signal);
    yield* withSupplement(own, reading.supplement, request, signal);
  }

  async *#ownPages(reading: Reading, request: PageRequest, signal: AbortSignal): AsyncGenerator<Page> {
    const { rest, tree, oai } = reading;
    const resumed = fromCheckpoint(request.checkpoint);
    const asOf = resumed?.asOf ?? rest.answeredAt;
    const isIncremental = request.mode === 'incremental' && request.since !== undefined;
    const kind = resumed?.kind ?? (isIncremental && oai !== undefined ? 'changes' : 'walk');
    if (kind === 'changes') {
      this.#context.lessons.forget(changesLesson);
      const from = { since: request.since, checkpoint: resumed?.at };
      for await (const page of changedItems(this.#changes(reading), from, signal)) {
        yield { ...page, checkpoint: toCheckpoint(kind, asOf, page.checkpoint), asOf };
      }
      return;
    }
    if (isIncremental) this.#tellOfWalks();
    const collections = this.#selected(tree);
    const expectedTotal = collections.reduce((sum, { numberItems = 0 }) => sum + numberItems, 0);
    const parts = {
      ...reading,
      walk: this.#walk(reading, collections, itemExpand),
      walked: new Set(collections.map(({ id }) => id)),
    };
    for await (const page of walkedItems(parts, toWalkState(resumed?.at), signal)) {
      yield { ...page, checkpoint: toCheckpoint(kind, asOf, page.checkpoint), asOf, expectedTotal };
    }
  }

  async *identifiers(request: IdentifierRequest, signal: AbortSignal): AsyncGenerator<IdentifierPage> {
    const reading = await this.#read(await this.#connect(false, signal), signal);
    const { tree, identity } = reading;
    const walk = this.#walk(reading, this.#selected(tree), undefined);
    const format = this.#formatNames()[0] ?? '';
    const from = toWalkState(request.checkpoint);
    yield* walkedIdentifiers(walk, tree, identity, format, from, signal);
  }

  async item(identifier: string, signal: AbortSignal): Promise<SourceItem | undefined> {
    const reading =
      this.#reading ?? (await this.#read(this.#connection ?? (await this.#connect(false, signal)), signal));
    const { identity, lookup, reader, supplement } = reading;
    const key = identity.keyOf(identifier);
    const found = key === undefined ? 'unknown' : await lookup.find(key, signal);
    const deleted = reader.deleted(identifier);
    if (found === 'refused') return reader.refused(identifier);
    if (found === 'unknown') return supplement === undefined ? undefined : deleted;
    if ('broken' in found) {
      const options = { retryable: true, concernsItem: true };
      throw new BridgeError('upstream-status', found.broken, options);
    }
    if ('problem' in found) throw new BridgeError('upstream-protocol', found.problem.message);
    // One that was given a handle has another name now.
    const { identifier: named } = 'hidden' in found ? found.hidden : found.item;
    if (named !== identifier) return deleted;
    if ('hidden' in found) return found.hidden;
    const own = await completeItem(found.item, supplement, this.#oaiName(found.item), signal);
    // What is private is answered for, too, and lists alone leave it out.
    return { ...own, unlisted: true };
  }

  async #connect(anew: boolean, signal: AbortSignal): Promise<Connection> {
    const settings = this.#settings;
    const rest = await LegacyRest.open(settings, this.#context, signal);
    const { base } = rest;
    const known = this.#connection?.rest.base === base ? this.#connection : undefined;
    const oai = await findOai(settings, this.#context, { base, known: known?.oai, anew }, signal);
    const ask = async () => oai && hostOfNames(oai, signal);
    const identity = known?.identity ?? (await resolveIdentity(settings, this.#context, base, ask));
    this.#connection = { rest, oai, identity };
    return this.#connection;
  }

  /** For one run: collections may have moved since the last. */
  async #read(connection: Connection, signal: AbortSignal): Promise<Reading> {
    const { files, collections, entityTypes, timeZone = 'UTC', oaiFormats, crosswalk } = this.#settings;
    const { rest, identity, oai } = connection;
    const unknown = this.#formatNames().find((format) => !isCrosswalkFormat(format));
    if (unknown !== undefined) {
      const advice = 'with `from: oai` it comes from the OAI-PMH endpoint';
      throw new BridgeError('oai-unknown-format', `an item cannot be written as ${unknown}; ${advice}`);
    }
    const tree = await CollectionTree.load(rest, signal);
    const more = oaiFormats === undefined ? undefined : await this.#oaiFormats(oai, signal);
    const reader = new ItemReader({
      base: rest.base,
      tree,
      identity,
      formats: this.#formatNames(),
      bundles: files && (files.bundles ?? defaultBundles),
      collections,
      entityTypes,
      timeZone,
      crosswalk: circumstancesOfSource(crosswalk),
      others: more?.map(({ name }) => name) ?? [],
    });
    const lookup = new ItemLookup({ rest, tree, reader });
    const supplement = more &&
      oai && { oai: oai.adapter, formats: more, identifierOf: named(identity, lookup) };
    this.#reading = { ...connection, tree, reader, lookup, supplement };
    return this.#reading;
  }

  async #oaiFormats(oai: OaiCompanion | undefined, signal: AbortSignal): Promise<readonly MetadataFormat[]> {
    if (oai !== undefined) return supplementFormats(oai.adapter, signal);
    const message = 'formats are to come from its OAI-PMH endpoint, but none is known: name it as `oai`';
    throw new BridgeError('upstream-protocol', message);
  }

  #changes({ oai, lookup, reader, identity }: Reading) {
    if (oai === undefined) {
      const message = 'its last run asked an OAI-PMH endpoint that is not there any more';
      throw new BridgeError('upstream-protocol', message);
    }
    return { oai: oai.adapter, lookup, reader, identity, atOnce: this.#settings.requestsPerHost };
  }

  #walk(
    { rest, tree, identity }: Pick<Reading, 'rest' | 'tree' | 'identity'>,
    collections: readonly TreeNode[],
    expand: string | undefined,
  ): CollectionWalk {
    const identifierOf = identity.identifierOf.bind(identity);
    return new CollectionWalk({ rest, tree, collections, expand, identifierOf, context: this.#context });
  }

  /** @throws BridgeError `unknown-collection` when none of those that are configured is there */
  #selected(tree: CollectionTree): readonly TreeNode[] {
    const { collections: wanted } = this.#settings;
    const selected = tree.collections.filter((node) => CollectionTree.isSelected(tree.keysOf(node), wanted));
    if (wanted === undefined || selected.length > 0) return selected;
    throw new BridgeError('unknown-collection', `it has none of ${wanted.join(', ')}`);
  }

  #formatNames(): readonly string[] {
    return this.#settings.formats ?? usualFormats;
  }

  #ownFormats(): readonly MetadataFormat[] {
    const fileRank = this.#settings.files === undefined ? {} : { fileRank: fileOrigin.rank };
    return this.#formatNames().map((name) => {
      const known = crosswalkFormats.find((format) => format.name === name);
      if (known === undefined) return { name, selected: true, offered: false };
      const { profile: namespace, schema } = known;
      return { name, namespace, schema, selected: true, offered: true, ...fileRank };
    });
  }

  /** The name that the endpoint has for an item; its own host may be another than ours. */
  #oaiName({ identifier }: SourceItem): string | undefined {
    const { oai, identity } = this.#connection ?? {};
    const handle = identity?.handleOf(identifier);
    const host = oai?.introduction.host ?? identity?.host;
    return handle === undefined || host === undefined ? undefined : toOaiName(host, handle);
  }

  #tellOfWalks(): void {
    const sentence = say('changes-unknown', {});
    this.#context.lessons.learn(changesLesson, 'unknown', sentence);
  }
}

/** Items that go by their ids have to be looked up by their handles. */
function named(identity: ItemIdentity, lookup: ItemLookup): OaiSupplement['identifierOf'] {
  return async (oaiIdentifier, signal) => {
    const own = identity.fromOai(oaiIdentifier);
    const handle = identity.handleOf(oaiIdentifier);
    if (own !== undefined || handle === undefined) return own;
    const found = await lookup.find({ handle }, signal);
    if (typeof found !== 'object') return undefined;
    if ('item' in found) return found.item.identifier;
    return 'hidden' in found ? found.hidden.identifier : undefined;
  };
}

/** What DSpace 6 has at the top of its hierarchy. */
async function siteName(rest: LegacyRest, signal: AbortSignal): Promise<string | undefined> {
  try {
    return asText(asObject(await rest.get('/hierarchy', [], signal))?.name)?.slice(0, 300);
  } catch (error) {
    signal.throwIfAborted();
    if (isBridgeError(error)) return undefined;
    throw error;
  }
}
