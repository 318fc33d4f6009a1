import type {
  Adapter,
  AdapterContext,
  AdapterKind,
  AdapterSettings,
  Collection,
  IdentifierPage,
  IdentifierRequest,
  Page,
  PageRequest,
  RepositoryInfo,
  SourceItem,
} from '../../src/core/adapter.ts';
import { BridgeError } from '../../src/core/errors.ts';
import { nothingToFollow, type SourceSet } from '../../src/resourcesync/discovery/found-source.ts';
import type { Statement } from '../../src/resourcesync/reading/statement.ts';
import { MetCollections } from './items/met-collections.ts';
import { type FollowedSet, openSet } from './passes/followed-set.ts';
import { fullPages } from './passes/full-pass.ts';
import { entriesOf, identifierPages } from './passes/identifier-pass.ts';
import { incrementalPages } from './passes/incremental-pass.ts';
import { ReadLists } from './passes/read-lists.ts';
import { DocumentCache } from './reading/document-cache.ts';
import { sourcePort } from './reading/http-port.ts';

/** A Source of ResourceSync, or a plain Sitemap: what another bridge publishes, or anybody else. */
export const resourceSync: AdapterKind = {
  kind: 'resourcesync',
  create: (settings, context) => new ResourceSyncAdapter(settings, context),
};

/** Entries of items that are listed and not in store, kept from a look at the list until they are asked for. */
const keptEntries = 1_000;

class ResourceSyncAdapter implements Adapter {
  readonly #settings: AdapterSettings;
  readonly #context: AdapterContext;
  /** The Capability List of the last run, or the robots.txt whose Sitemaps it has: it is not looked for each time. */
  #set: string | undefined;
  /** As it was introduced, for the run that follows. */
  #introduced: SourceSet | undefined;
  readonly #remembered = { documents: new DocumentCache(), collections: new MetCollections() };
  /** Of the last pass over everything. */
  #lists: ReadLists | undefined;
  readonly #listed = new Map<string, Statement[]>();

  constructor(settings: AdapterSettings, context: AdapterContext) {
    this.#settings = settings;
    this.#context = context;
  }

  async identify(signal: AbortSignal): Promise<RepositoryInfo> {
    this.#introduced = undefined;
    const { set, moved } = await this.#open(signal);
    this.#introduced = set;
    const { resourcelist, changelist, resourcedump } = set.lists;
    if (resourcelist.length === 0 && changelist.length === 0) {
      const what = resourcedump.length > 0 ? 'dumps alone; `rsbridge sync` reads dumps' : nothingToFollow;
      throw new BridgeError('upstream-protocol', `${set.uri} offers ${what}`);
    }
    const { host, pathname } = new URL(set.uri);
    return {
      name: set.hasCapabilityList ? `${host}${folderOf(pathname)}` : host,
      protocol: set.hasCapabilityList ? 'ResourceSync' : 'Sitemap',
      protocolVersion: set.hasCapabilityList ? '1.1' : '0.9',
      baseUrl: set.robots?.uri ?? set.uri,
      moved,
      deletedRecords: changelist.length > 0 ? 'transient' : 'no',
      granularity: 'second',
      formats: (this.#settings.formats ?? []).map((name) => ({ name, selected: true, offered: true })),
      triage: 'none',
    };
  }

  /** Their keys are in the entries that were read; nothing lists them. */
  async *collections(signal: AbortSignal): AsyncGenerator<Collection> {
    yield* this.#remembered.collections.named(sourcePort(this.#context.http, signal));
  }

  async *pages(request: PageRequest, signal: AbortSignal): AsyncGenerator<Page> {
    const followed = await this.#open(signal);
    if (request.mode === 'incremental') {
      if (followed.set.lists.changelist.length === 0) {
        if (!(await this.#areListsSame(followed, request)))
          throw new BridgeError('changes-incomplete', `${followed.set.uri} offers no Change List`);
        yield { items: [], problems: [], checkpoint: { kind: 'changes' }, asOf: request.since };
        return;
      }
      yield* incrementalPages(followed, request.since ?? '1970-01-01T02:00:00Z');
      return;
    }
    const known = await this.#context.knownIdentifier?.();
    if (request.mends) this.#remembered.collections.askAgain();
    const lists = new ReadLists(followed.set.lists.resourcelist);
    this.#lists = lists;
    const noted = { ...followed, port: lists.noting(followed.port) };
    let hasProblems = false;
    for await (const page of fullPages(noted, request, known !== undefined)) {
      hasProblems ||= page.problems.some(({ code }) => code !== 'endpoint-quirk');
      yield page;
    }
    // What could not be read is asked for again, whether the lists change or not.
    if (!hasProblems) lists.readAt = followed.now();
  }

  async #areListsSame({ port, set }: FollowedSet, { lastWhole }: PageRequest): Promise<boolean> {
    const readAt = this.#lists?.readAt;
    if (this.#lists === undefined || readAt === undefined) return false;
    if (!this.#lists.areOf(set.lists.resourcelist) || (set.robots?.faults.length ?? 0) > 0) return false;
    // A pass that was not stored to its end, or needs a person, is made again.
    return lastWhole !== undefined && lastWhole >= readAt && (await this.#lists.areSame(port));
  }

  /** As the lists have it now, every byte of it read again. */
  async item(identifier: string, signal: AbortSignal): Promise<SourceItem | undefined> {
    const followed = await this.#open(signal);
    const entries = this.#listed.get(identifier) ?? (await entriesOf(followed, identifier));
    const { items, problems } = await followed.assembly('anew').assemble(entries, true);
    const item = items.find((one) => one.identifier === identifier);
    const [problem] = problems;
    if (item === undefined && problem !== undefined)
      throw new BridgeError('upstream-status', problem.message, { retryable: true });
    return item;
  }

  async *identifiers(_request: IdentifierRequest, signal: AbortSignal): AsyncGenerator<IdentifierPage> {
    const followed = await this.#open(signal);
    const known = await this.#context.knownIdentifier?.();
    this.#listed.clear();
    const pages = identifierPages(followed, known !== undefined, (identifier, statement) => {
      const before = this.#listed.get(identifier);
      if (before) before.push(statement);
      else if (this.#listed.size < keptEntries * 2) this.#listed.set(identifier, [statement]);
    });
    for await (const page of pages) {
      await this.#forgetHeld();
      yield page;
    }
  }

  async #forgetHeld(): Promise<void> {
    const held = await this.#context.holdings?.items([...this.#listed.keys()]);
    for (const [identifier, { metadata }] of held ?? []) {
      if (metadata.length > 0) this.#listed.delete(identifier);
    }
    for (const identifier of [...this.#listed.keys()].slice(keptEntries)) this.#listed.delete(identifier);
  }

  async #open(signal: AbortSignal): Promise<FollowedSet> {
    const known = this.#introduced ?? this.#set;
    this.#introduced = undefined;
    const followed = await openSet(this.#settings, this.#context, known, this.#remembered, signal);
    this.#set = followed.set.robots?.uri ?? followed.set.uri;
    return followed;
  }
}

function folderOf(path: string): string {
  return path.replace(/\/[^/]*$/, '');
}
