import type {
  Adapter,
  AdapterContext,
  AdapterKind,
  AdapterSettings,
  Collection,
  HttpResponse,
  IdentifierPage,
  Page,
  PageRequest,
  RepositoryInfo,
  SourceItem,
} from '../../src/core/adapter.ts';
import { addSeconds, toIso } from '../../src/core/datetime.ts';
import { eitherOf } from '../../src/core/either-signal.ts';
import { failure, isBridgeError } from '../../src/core/errors.ts';
import { Endpoint } from './endpoint/endpoint.ts';
import { EndpointHabits } from './endpoint/endpoint-habits.ts';
import { type DeclaredFormat, toMetadataFormats } from './endpoint/formats.ts';
import { type Identity, identify } from './endpoint/identify.ts';
import { listMetadataFormats } from './endpoint/list-metadata-formats.ts';
import { listSets } from './endpoint/list-sets.ts';
import { getRecord } from './items/get-record.ts';
import { readRecord } from './items/source-item.ts';
import { readHeader } from './lists/header-entry.ts';
import { type Listing, RunClock } from './lists/listing.ts';
import { progressAt, walkList } from './passes/list-walk.ts';
import { ForeignList, isReadElsewhere } from './threads/foreign-list.ts';
import { readingOf } from './threads/packed-records.ts';
import { TokenCompany } from './tokens/token-company.ts';
import { TokenEncoding } from './tokens/token-encoding.ts';
import { PageSize } from './verdicts/list-length.ts';
import { DateForm } from './windows/date-form.ts';
import { awaitedAfter, formatUses, type Pass, passesOf } from './windows/passes.ts';
import { epoch, granules } from './windows/window.ts';
import type { CutRecord } from './wire/record-parser.ts';

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
  /** As it introduced itself for the run that comes next. */
  #declaredNow: readonly DeclaredFormat[] | undefined;
  #identity: Identity | undefined;

  constructor(settings: AdapterSettings, context: AdapterContext) {
    this.#settings = settings;
    this.#context = context;
    this.#endpoint = new Endpoint(settings.url, context);
  }

  async identify(signal: AbortSignal): Promise<RepositoryInfo> {
    const { formats, requestsPerHost } = this.#settings;
    const leaving = new AbortController();
    const listing = requestsPerHost > 1 ? this.#listFormats(eitherOf(signal, leaving.signal)) : undefined;
    // Its failure matters once the repository has said who it is.
    listing?.catch(() => undefined);
    try {
      this.#identity = await identify(this.#endpoint, signal);
      const declared = await (listing ?? this.#listFormats(signal));
      this.#declaredNow = declared;
      return { ...this.#identity.info, formats: toMetadataFormats(declared, formats) };
    } finally {
      leaving.abort();
    }
  }

  collections(signal: AbortSignal): AsyncIterable<Collection> {
    return listSets(this.#endpoint, signal);
  }

  async *pages(request: PageRequest, signal: AbortSignal): AsyncGenerator<Page> {
    const declared = this.#declaredNow ?? (await this.#listFormats(signal));
    this.#declaredNow = undefined;
    const passes = passesOf(formatUses(declared, this.#settings), this.#settings.collections);
    const { mode } = request;
    const from = await this.#from(request, signal);
    const progress = progressAt({ from, checkpoint: request.checkpoint });
    const { url } = this.#endpoint;
    const read = (pass: Pass) => (record: CutRecord) => {
      const { item: entry, problem } = readingOf(record) ?? readRecord(record, { url, ...pass });
      return { entry, problem };
    };
    const { threads } = this.#context;
    const deflates = request.isFirst === true;
    const readElsewhere =
      threads &&
      ((response: HttpResponse, pass: Pass) =>
        isReadElsewhere(threads)
          ? new ForeignList(response, pass, { threads, deflates, origin: { url, ...pass } })
          : undefined);
    const own = { verb: 'ListRecords', mode, read, readElsewhere } as const;
    const listing = await this.#listing(own, declared, progress.asOf, signal);
    for await (const page of walkList(listing, passes, progress, signal)) {
      const { entries: items, checkpoint, problems, asOf, expectedTotal, statedTotal, pass, window } = page;
      const awaited = awaitedAfter(passes, pass);
      yield {
        items,
        checkpoint,
        problems,
        window,
        ...(asOf === undefined ? {} : { asOf }),
        ...(expectedTotal === undefined ? {} : { expectedTotal }),
        // Of what has changed since a time, it says how many those are.
        ...(statedTotal === undefined || mode !== 'full' ? {} : { statedTotal }),
        ...(awaited.length === 0 ? {} : { awaited }),
      };
    }
  }

  async *identifiers(
    request: Parameters<Adapter['identifiers']>[0],
    signal: AbortSignal,
  ): AsyncGenerator<IdentifierPage> {
    const declared = await this.#listFormats(signal);
    const published = formatUses(declared, { ...this.#settings, files: undefined });
    const passes = passesOf(published.slice(0, 1), this.#settings.collections);
    const { since, checkpoint: last } = request;
    const mode = since === undefined ? 'full' : 'incremental';
    const from = await this.#from({ mode, since }, signal);
    const progress = progressAt({ from, checkpoint: last });
    const read = ({ format }: Pass) => readHeader(format);
    const own = { verb: 'ListIdentifiers', mode, read } as const;
    const listing = await this.#listing(own, declared, progress.asOf, signal);
    for await (const { pass, asOf: _, statedTotal: _all, ...page } of walkList(
      listing,
      passes,
      progress,
      signal,
    )) {
      yield { format: pass.format, ...page };
    }
  }

  async item(identifier: string, signal: AbortSignal): Promise<SourceItem | undefined> {
    const declared = this.#declared ?? (await this.#listFormats(signal));
    return getRecord(this.#endpoint, identifier, formatUses(declared, this.#settings), signal);
  }

  async #listing<Entry>(
    own: Pick<Listing<Entry>, 'verb' | 'mode' | 'read' | 'readElsewhere'>,
    declared: readonly DeclaredFormat[],
    asOf: string | undefined,
    signal: AbortSignal,
  ): Promise<Listing<Entry>> {
    const { lessons, clock } = this.#context;
    const { overlapSeconds, requestsPerHost, pageSize: stated } = this.#settings;
    const run = new RunClock(asOf);
    const { info, answeredAt } = await this.#identify(signal);
    const { granularity, earliestDatestamp: low = epoch } = info;
    const identifierPages = new PageSize(stated);
    return {
      ...own,
      endpoint: this.#endpoint,
      context: this.#context,
      offered: declared.map(({ name }) => name),
      pageSize: own.verb === 'ListIdentifiers' ? identifierPages : new PageSize(stated),
      identifierPages,
      dates: new DateForm(granularity, lessons, clock),
      encoding: new TokenEncoding(lessons),
      company: new TokenCompany(lessons),
      habits: new EndpointHabits(lessons),
      lists: requestsPerHost,
      clock: run,
      span: () => ({ low, high: run.asOf ?? answeredAt ?? toIso(clock.now()) }),
      lagSeconds: overlapSeconds + granules[granularity],
    };
  }

  /**
   * Reaches back by the overlap and one granule: indexes lag, and servers disagree on whether the bounds are
   * inclusive (quirks 49, 50, 52). No `from` at all for everything (quirk 44).
   */
  async #from({ mode, since }: PageRequest, signal: AbortSignal): Promise<string | undefined> {
    if (mode === 'full' || since === undefined) return undefined;
    const { granularity } = (await this.#identify(signal)).info;
    return addSeconds(since, -(this.#settings.overlapSeconds + granules[granularity]));
  }

  /** As it introduced itself before this run, or as it does now. */
  async #identify(signal: AbortSignal): Promise<Identity> {
    this.#identity ??= await identify(this.#endpoint, signal);
    return this.#identity;
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
      this.#context.log.warn({ url: this.#settings.url, ...failure(error) }, 'formats are not listed');
      this.#declared = [];
    }
    return this.#declared;
  }
}
