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
import { isCrosswalkFormat } from '../../src/core/crosswalks/crosswalk.ts';
import { readOaiName } from '../../src/core/dspace/oai-name.ts';
import { completeItem, speakingForAll, withSupplement } from '../../src/core/dspace/oai-supplement.ts';
import { BridgeError } from '../../src/core/errors.ts';
import { type Connection, connect, introduce, ownFormats } from './connection.ts';
import { ensureAnonymous } from './rest/anonymity.ts';
import { Session } from './rest/session.ts';
import { countItems, type SearchContext } from './search/search.ts';
import { goneItem, isShownAt, triage } from './triage.ts';
import { listIdentifiers } from './walks/identifiers.ts';
import { passesOf } from './walks/passes.ts';
import { sweep } from './walks/sweep.ts';

/** DSpace 7 and later, and DSpace-CRIS, by their REST API. */
export const dspace: AdapterKind = {
  kind: 'dspace',
  create: (settings, context) => new DspaceAdapter(settings, context),
};

class DspaceAdapter implements Adapter {
  readonly #settings: AdapterSettings;
  readonly #context: AdapterContext;
  #connection: Connection | undefined;
  #session: { readonly base: string; readonly session: Session } | undefined;

  constructor(settings: AdapterSettings, context: AdapterContext) {
    this.#settings = settings;
    this.#context = context;
  }

  /** Each run begins with it, and with a connection of its own. */
  async identify(signal: AbortSignal): Promise<RepositoryInfo> {
    this.#connection = undefined;
    return introduce(await this.#connect(signal), this.#settings);
  }

  async *collections(signal: AbortSignal): AsyncGenerator<Collection> {
    const { collections } = await this.#connect(signal);
    yield* collections.list(signal);
  }

  async *pages(request: PageRequest, signal: AbortSignal): AsyncGenerator<Page> {
    const connection = await this.#connect(signal);
    this.#refuseUnknownFormats();
    if (request.mode === 'full') await ensureAnonymous(connection.rest, this.#context, signal);
    const own = (part: PageRequest) => sweep(this.#search(connection), part, signal);
    yield* withSupplement(own, connection.supplement, request, signal);
  }

  async *identifiers(request: IdentifierRequest, signal: AbortSignal): AsyncGenerator<IdentifierPage> {
    yield* listIdentifiers(this.#search(await this.#connect(signal)), request, signal);
  }

  async count(signal: AbortSignal): Promise<number | undefined> {
    const search = this.#search(await this.#connect(signal));
    const [pass, another] = await passesOf(search, signal);
    // What overlaps, or is many lists, no one number tells.
    if (!pass || another) return undefined;
    return countItems(search, { selection: pass.selection, query: undefined }, signal);
  }

  async item(
    identifier: string,
    signal: AbortSignal,
    deliveredFrom: readonly string[] = [],
  ): Promise<SourceItem | undefined> {
    const connection = await this.#connect(signal);
    this.#refuseUnknownFormats();
    const { supplement } = connection;
    const settings = this.#settings;
    const parts = { ...connection, settings, formats: ownFormats(settings), deliveredFrom };
    const item = await triage(parts, identifier, signal);
    // Without a word from us, what came by OAI-PMH would stay until that endpoint notices.
    if (item === undefined) return supplement && speakingForAll(goneItem(parts, identifier), supplement);
    const oaiIdentifier = readOaiName(identifier) === undefined ? undefined : identifier;
    return completeItem(item, supplement, oaiIdentifier, signal);
  }

  async isShown(address: string, signal: AbortSignal): Promise<boolean | undefined> {
    const { rest } = await this.#connect(signal);
    return isShownAt(rest, address, signal);
  }

  async #connect(signal: AbortSignal): Promise<Connection> {
    this.#connection ??= await connect(
      this.#settings,
      this.#context,
      (base) => this.#sessionAt(base),
      signal,
    );
    return this.#connection;
  }

  /** It outlives a run: a token is good for half an hour. */
  #sessionAt(base: string): Session | undefined {
    const { login } = this.#settings;
    if (login === undefined) return undefined;
    if (this.#session?.base !== base) {
      this.#session = { base, session: new Session(base, login, this.#context) };
    }
    return this.#session.session;
  }

  #search({ rest, reader, identifierOf, collections }: Connection): SearchContext {
    return { rest, reader, identifierOf, collections, settings: this.#settings, context: this.#context };
  }

  #refuseUnknownFormats(): void {
    const unknown = ownFormats(this.#settings).filter((name) => !isCrosswalkFormat(name));
    if (unknown.length === 0) return;
    const names = unknown.map((name) => `{ name: ${name}, from: oai }`).join(', ');
    throw new BridgeError(
      'oai-unknown-format',
      `items cannot be written as ${unknown.join(', ')}; the OAI-PMH endpoint may have that: ${names}`,
    );
  }
}
