import type {
  Adapter,
  AdapterContext,
  AdapterKind,
  AdapterSettings,
  Collection,
  IdentifierPage,
  Page,
  PageRequest,
  RepositoryInfo,
  SourceItem,
} from '../../src/core/adapter.ts';
import { addSeconds, utcDay } from '../../src/core/datetime.ts';
import { describeError, isBridgeError } from '../../src/core/errors.ts';
import type { Pass } from './checkpoint.ts';
import { Endpoint } from './endpoint.ts';
import { type DeclaredFormat, selectFormats, toMetadataFormats } from './formats.ts';
import { getRecord } from './get-record.ts';
import { identify } from './identify.ts';
import { listMetadataFormats } from './list-metadata-formats.ts';
import { ListRecords } from './list-records.ts';
import { listSets } from './list-sets.ts';

/** OAI-PMH 2.0, as repositories really speak it. */
export const oaiPmh: AdapterKind = {
  kind: 'oai-pmh',
  create: (settings, context) => new OaiPmhAdapter(settings, context),
};

class OaiPmhAdapter implements Adapter {
  readonly #settings: AdapterSettings;
  readonly #context: AdapterContext;
  readonly #endpoint: Endpoint;
  #declared: readonly DeclaredFormat[] | undefined;

  constructor(settings: AdapterSettings, context: AdapterContext) {
    this.#settings = settings;
    this.#context = context;
    this.#endpoint = new Endpoint(settings.url, context);
  }

  async identify(signal: AbortSignal): Promise<RepositoryInfo> {
    const identity = await identify(this.#endpoint, signal);
    const declared = await this.#listFormats(signal);
    return { ...identity, formats: toMetadataFormats(declared, this.#settings.formats) };
  }

  collections(signal: AbortSignal): AsyncIterable<Collection> {
    return listSets(this.#endpoint, signal);
  }

  async *pages(request: PageRequest, signal: AbortSignal): AsyncGenerator<Page> {
    const declared = await this.#listFormats(signal);
    const plan = {
      passes: this.#passes(declared),
      fromForms: await this.#fromForms(request, signal),
      declared,
    };
    yield* new ListRecords(this.#endpoint, this.#context, plan, request, signal).pages();
  }

  // biome-ignore lint/correctness/useYield: follows with the walk through ListIdentifiers.
  async *identifiers(): AsyncGenerator<IdentifierPage> {
    throw new Error('not yet');
  }

  async item(identifier: string, signal: AbortSignal): Promise<SourceItem | undefined> {
    const declared = this.#declared ?? (await this.#listFormats(signal));
    const formats = selectFormats(declared, this.#settings.formats);
    return getRecord(this.#endpoint, identifier, formats, declared, signal);
  }

  #passes(declared: readonly DeclaredFormat[]): readonly Pass[] {
    const { formats, collections = [] } = this.#settings;
    const sets = collections.length === 0 ? [undefined] : [...new Set(collections)];
    return selectFormats(declared, formats).flatMap((format) =>
      sets.map((collection) => ({ format, collection })),
    );
  }

  /**
   * Reaches back by the overlap and one granule: indexes lag, and servers disagree on whether the bounds are
   * inclusive (quirks 49, 50, 52). Never an `until`, and no `from` for everything (quirk 44).
   */
  async #fromForms(request: PageRequest, signal: AbortSignal): Promise<readonly (string | undefined)[]> {
    if (request.mode === 'full' || request.since === undefined) return [undefined];
    const { granularity } = await identify(this.#endpoint, signal);
    const granule = granularity === 'day' ? 86_400 : 1;
    const from = addSeconds(request.since, -(this.#settings.overlapSeconds + granule));
    return granularity === 'day' ? [utcDay(from), undefined] : [from, utcDay(from), undefined];
  }

  /** With configured formats, a repository that cannot list its formats is still harvested. */
  async #listFormats(signal: AbortSignal): Promise<readonly DeclaredFormat[]> {
    try {
      this.#declared = await listMetadataFormats(this.#endpoint, signal);
    } catch (error) {
      const tolerable =
        isBridgeError(error) &&
        !['upstream-unreachable', 'upstream-busy', 'address-refused'].includes(error.code);
      if (this.#settings.formats === undefined || !tolerable) throw error;
      this.#context.log.warn(
        { url: this.#settings.url, reason: describeError(error) },
        'formats are not listed',
      );
      this.#declared = [];
    }
    return this.#declared;
  }
}
