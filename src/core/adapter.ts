import type { Problem } from './problem.ts';
import type { Threads } from './threads.ts';
import type { AskedWindow } from './under-way.ts';

export { forbidsDeletions, type Problem, type ProblemCode } from './problem.ts';

/** One upstream protocol, bound to one configured source. Implemented in `adapters/<kind>`. */
export interface Adapter {
  /**
   * Cheap probe: who are you, what can you do. Used by `rsbridge check` and `init`, and before each run.
   * @throws BridgeError when the endpoint does not answer in its protocol
   */
  identify(signal: AbortSignal): Promise<RepositoryInfo>;

  /** Every collection (OAI set, DSpace community or collection); none where the upstream has none. */
  collections(signal: AbortSignal): AsyncIterable<Collection>;

  /**
   * Pages in a resumable order. A page's checkpoint is stored with its records in one transaction; after a
   * crash the same call with that checkpoint continues behind it. The iterable ends normally only when the
   * upstream said that the list is complete: everything else is thrown.
   */
  pages(request: PageRequest, signal: AbortSignal): AsyncIterable<Page>;

  /** One item in every configured format (`from`: the `upstreamUrl`s of what is stored); undefined: there is none. */
  item(identifier: string, signal: AbortSignal, from?: readonly string[]): Promise<SourceItem | undefined>;

  /**
   * Every identifier the upstream lists now, without payloads: what a cheap look for vanished items needs.
   * Resumable and complete like `pages`; its checkpoints are its own.
   */
  identifiers(request: IdentifierRequest, signal: AbortSignal): AsyncIterable<IdentifierPage>;

  /** How many items the upstream lists now, at the cost of one request; undefined: it does not say. */
  count?(signal: AbortSignal): Promise<number | undefined>;
}

export interface IdentifierRequest {
  readonly checkpoint?: Checkpoint | undefined;
  /** Only what changed since then, upstream clock time, reaching back by the overlap; undefined: all. */
  readonly since?: string | undefined;
}

/** What `adapters/index.ts` lists. */
export interface AdapterKind {
  readonly kind: string;
  create(settings: AdapterSettings, context: AdapterContext): Adapter;
}

/** The part of a source's configuration that an adapter sees. */
export interface AdapterSettings {
  readonly url: string;
  /** Configured formats by upstream name, in order; undefined: every format that is known. */
  readonly formats?: readonly string[] | undefined;
  /** Harvest only these collections (OAI sets); undefined: everything. */
  readonly collections?: readonly string[] | undefined;
  /** Seconds by which an incremental run reaches back behind the last one. */
  readonly overlapSeconds: number;
  /** Requests that may be on their way to the upstream's host at a time. */
  readonly requestsPerHost: number;
  /** OAI-PMH: records on a full page, as somebody who knows says; undefined: nobody does. */
  readonly pageSize?: number | undefined;
  /** Files are looked for, in the format `from` alone if there is one, which need not be among `formats`. */
  readonly files:
    | {
        readonly from?: string | undefined;
        /** DSpace: files are those of these bundles, e.g. `ORIGINAL`; undefined: the adapter's own choice. */
        readonly bundles?: readonly string[] | undefined;
      }
    | undefined;
  /** DSpace: what an item's identifier is made from, see `Identity`. */
  readonly identity?: Identity | undefined;
  /** DSpace: an account, used for nothing but version histories. */
  readonly login?: Login | undefined;
  /** DSpace: only items of these entity types; undefined: all. */
  readonly entityTypes?: readonly string[] | undefined;
  /** DSpace 5 and 6 state local times without their zone: this one, of the IANA database. */
  readonly timeZone?: string | undefined;
  /** DSpace: what its records do not say of its fields and DOIs. */
  readonly crosswalk?:
    | {
        /** Fields of its own, each with what it says. */
        readonly fields?: Readonly<Record<string, string>> | undefined;
        /** The same for `jpcoar_2.0` alone, and for `oai_openaire` alone. */
        readonly jpcoar?: Readonly<Record<string, string>> | undefined;
        readonly openaire?: Readonly<Record<string, string>> | undefined;
        /** Of DOIs that it gives itself: `10.15017`. */
        readonly doiPrefixes?: readonly string[] | undefined;
      }
    | undefined;
  /** DSpace: its OAI-PMH endpoint; false: it has none, or none to be used; undefined: where it usually is. */
  readonly oaiUrl?: string | false | undefined;
  /** DSpace: published formats that come from there, verbatim; `known`: every one that is; undefined: none. */
  readonly oaiFormats?: readonly string[] | 'known' | undefined;
}

/**
 * `uuid`: the upstream's own key. `oai`: the identifier that its OAI-PMH endpoint gives the same item,
 * `oai:<host>:<handle>`, so that addresses stay when a source moves between the two protocols; `oai:<host>` says
 * which host, where nobody else does.
 */
export type Identity = 'uuid' | 'oai' | `oai:${string}`;

export interface Login {
  readonly user: string;
  readonly password: string;
}

/** Everything that comes from outside comes in by this. */
export interface AdapterContext {
  readonly http: Http;
  readonly log: Log;
  readonly clock: Clock;
  readonly lessons: Lessons;
  /** Where answers are read; undefined: in this thread. */
  readonly threads?: Threads | undefined;
  /**
   * The same repository by OAI-PMH, in the formats of `AdapterSettings.oaiFormats`: for what that endpoint alone
   * knows. Its lists reach back by two days, because DSpace brings that index up to date at night.
   */
  readonly oaiAt?: ((url: string) => Adapter) | undefined;
  /** An identifier that this source has in store already, whichever adapter brought it; undefined: none yet. */
  readonly knownIdentifier?: (() => Promise<string | undefined>) | undefined;
}

/**
 * What an endpoint taught us (tokens are sent raw, `from` is refused, days only …), so that it is not learnt anew
 * in every run. Kept per source, shown by `rsbridge status`.
 */
export interface Lessons {
  /** The value learnt under a key of the adapter's own, e.g. `token-encoding`; undefined: nothing. */
  get(key: string): string | undefined;
  /** @param sentence for the operator: what it does, and what we do about it */
  learn(key: string, value: string, sentence: string): void;
  /** It is not so any more. */
  forget(key: string): void;
}

export interface Clock {
  now(): Date;
  /** Resolves after `milliseconds`; rejects with the signal's reason when aborted first. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** pino's calling convention: fields first, a constant message second. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * The outgoing HTTP port: polite (per-host concurrency, `Retry-After` on 429 and 503, User-Agent with
 * contact), safe (redirects and addresses checked, credentials kept on their host), content decoded.
 */
export interface Http {
  /**
   * GETs a URL. Any final status comes back as a response: the body decides first, the status second.
   * @throws BridgeError `upstream-unreachable`, `upstream-busy`, `address-refused`, `too-many-redirects`
   */
  get(url: string, options: HttpOptions): Promise<HttpResponse>;

  /** The same without a body. */
  head(url: string, options: HttpOptions): Promise<HttpResponse>;

  /** POSTs a form, for requests that do not fit into a URL; redirects are followed as the method allows. */
  post(url: string, form: URLSearchParams, options: HttpOptions): Promise<HttpResponse>;
}

export interface HttpOptions {
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent to the origin of the URL alone, not to where it redirects; never logged. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** `reported`: a redirect is the answer; default `followed`. */
  readonly redirects?: 'followed' | 'reported';
  /** `sniffed`, the default: what is gzip is unpacked; `declared`: only where `Content-Encoding` says so, too; `never`: identity is asked for, and the bytes are as they come. */
  readonly decode?: 'sniffed' | 'declared' | 'never';
  /** False: 429, 503 and failed connections are the caller's business at once; default true. */
  readonly patient?: boolean;
  /** Instead of the configured one. */
  readonly maxBytes?: number;
  /** GET: many octets are expected; they come in large chunks, with as little work for each as can be. Default false. */
  readonly bulk?: boolean;
  /** Milliseconds for the whole exchange, waits for a place at the host not counted. */
  readonly deadline?: number;
}

export interface HttpResponse {
  readonly status: number;
  /** The URL that answered, after redirects. */
  readonly url: string;
  /** Lower-case names; repeated headers joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** The server may have seen the request before, and answered it, but nothing came. */
  readonly retried?: boolean;
  /**
   * The body, content coding removed (by its magic number, whatever the header says, unless `decode` is `declared`).
   * Iterating throws BridgeError `upstream-cut-off` when the connection ends early and
   * `response-too-large` past the size limit. Must be consumed or `discard()`ed.
   */
  readonly body: AsyncIterable<Uint8Array>;
  discard(): Promise<void>;
}

export interface RepositoryInfo {
  readonly name: string;
  /** e.g. `OAI-PMH`. */
  readonly protocol: string;
  readonly protocolVersion: string;
  /** The URL that the upstream calls its own. */
  readonly baseUrl?: string;
  readonly deletedRecords: 'no' | 'transient' | 'persistent';
  readonly granularity: 'day' | 'second';
  readonly earliestDatestamp?: string | undefined;
  readonly adminEmails?: readonly string[];
  /** Every format the upstream offers; `selected` are those a harvest will take. */
  readonly formats: readonly MetadataFormat[];
  /**
   * What is missing from a complete list is asked for, and judged by the answer: `each` item, however many, because
   * the upstream can say what became of it; or a sample, the default.
   */
  readonly triage?: 'each' | 'sample';
}

export interface MetadataFormat {
  /** The upstream's own name, e.g. the `metadataPrefix`. */
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly schema?: string | undefined;
  /** A harvest takes it. */
  readonly selected: boolean;
  /** False: it is configured, but the upstream does not list it, or could not be asked. */
  readonly offered: boolean;
  /** What it knows of files (`FileOrigin.rank`); undefined: nothing. */
  readonly fileRank?: number | undefined;
}

export interface Collection {
  /** Opaque key: the setSpec. */
  readonly spec: string;
  readonly name: string;
  readonly description?: string | undefined;
}

export interface PageRequest {
  readonly mode: 'full' | 'incremental';
  /** Upstream clock time (`Page.asOf`) of the last good run; incremental runs only. */
  readonly since?: string | undefined;
  /** Of the last stored page of the run that is being continued. */
  readonly checkpoint?: Checkpoint | undefined;
  /** Nothing of the source is known: what comes will be kept whole. */
  readonly isFirst?: boolean | undefined;
}

/** JSON, known to its adapter alone. */
export type Checkpoint = { readonly [key: string]: unknown };

export interface Page {
  readonly items: readonly SourceItem[];
  /**
   * Where to go on after this page. Undefined: this page is a part of a larger upstream response and a
   * restart has to begin at the checkpoint before it; storing an item twice changes nothing.
   */
  readonly checkpoint: Checkpoint | undefined;
  readonly problems: readonly Problem[];
  /** The upstream's clock when the run's first request was answered: the next incremental run's `since`. */
  readonly asOf?: string | undefined;
  /** Items the upstream expects to deliver in the whole run; an estimate, for progress only. */
  readonly expectedTotal?: number | undefined;
  /** On the last page of a run over everything: how many records the repository says that there are, in all formats together. */
  readonly statedTotal?: number | undefined;
  /**
   * Published formats in which these items may still come in this run. As long as something is awaited, links
   * between what an item has already are left alone.
   */
  readonly awaited?: readonly string[] | undefined;
  /** What it came from, for whoever looks on. */
  readonly window?: AskedWindow | undefined;
}

/** A part of the list of identifiers. */
export interface IdentifierPage {
  /** The format it was listed in: it proves nothing about others. */
  readonly format: string;
  readonly entries: readonly IdentifierEntry[];
  readonly checkpoint: Checkpoint | undefined;
  readonly problems: readonly Problem[];
  readonly expectedTotal?: number | undefined;
  readonly window?: AskedWindow | undefined;
}

export interface IdentifierEntry {
  readonly identifier: string;
  readonly datestamp: string | undefined;
  readonly collections: readonly string[];
  readonly deleted: boolean;
}

export interface SourceItem {
  readonly identifier: string;
  /** When the upstream says it last changed, ISO UTC seconds; undefined where it said nothing legible. */
  readonly datestamp: string | undefined;
  /** Collection keys (setSpecs), without repetition. */
  readonly collections: readonly string[];
  /** What this delivery speaks for; everything else the store leaves alone. */
  readonly speaksFor: {
    readonly formats: readonly string[];
    /** Where `files` were looked for: all that this origin knows of the item. Undefined: they were not. */
    readonly files: FileOrigin | undefined;
  };
  /** True: in all that it speaks for, the item is gone. */
  readonly deleted: boolean;
  readonly metadata: readonly SourceMetadata[];
  readonly files: readonly SourceFile[];
  /** It always comes in all its formats at once, so that each may name the others (RS-LN-07). */
  readonly complete?: boolean | undefined;
  /**
   * More of an item that another delivery speaks for: without anything living in other formats it is taken for
   * deleted, whatever it says itself.
   */
  readonly supplement?: boolean | undefined;
  /**
   * Asked for by its identifier: it is there for everybody, but the upstream's own list leaves it out and nobody says
   * why. Missing from two complete lists in a row, it goes.
   */
  readonly unlisted?: boolean | undefined;
  /** What it was before, oldest first; undefined: nothing is known of that, and what was known stays. */
  readonly versions?: readonly SourceVersion[] | undefined;
  /** The item's landing page, where the upstream states one. */
  readonly landingPage?: string | undefined;
}

/** An earlier state of an item, which its upstream keeps; only what everybody may read. */
export interface SourceVersion {
  /** The upstream's own count. */
  readonly number: number;
  /** From when on it was the current one, ISO UTC. */
  readonly createdAt: string;
  /** Where the upstream shows it. */
  readonly upstreamUrl?: string | undefined;
  readonly metadata: readonly SourceMetadata[];
  readonly files: readonly SourceFile[];
}

export interface SourceMetadata {
  /** The upstream's name of the format. */
  readonly format: string;
  /** The document, verbatim but for the namespace declarations it needs; UTF-8. */
  readonly content: Uint8Array;
  /** Of the content, `sha-256:…`, where it was read in another thread; else whoever needs it makes it. */
  readonly hash?: string | undefined;
  /** The same by `deflatePayload`. */
  readonly deflated?: Uint8Array | undefined;
  /** Without parameters; default `application/xml`. */
  readonly mediaType?: string | undefined;
  /** A URI that helps to interpret it, usually the root's namespace (RS-LN-17). */
  readonly profile?: string | undefined;
  /** Where the upstream serves this one document. */
  readonly upstreamUrl?: string | undefined;
}

/** Of several origins that know files of an item, the one with the lowest rank is believed. */
export interface FileOrigin {
  /** A format's name, or the adapter's own word. */
  readonly name: string;
  /**
   * 0: the repository's own list of its files, which counts alone even when it is empty, and whose word on `open`
   * files needs no check; 100: guessed from links.
   */
  readonly rank: number;
}

/** A file as its origin states it; nothing of this has been tried yet. */
export interface SourceFile {
  /** Absolute http or https, percent-encoded ASCII, without credentials or fragment. */
  readonly url: string;
  /** For people; may hold anything. */
  readonly name: string;
  /** Position among the item's files, from 1; stable upstream where possible. */
  readonly sequence: number;
  /** `type/subtype` in lower case, without parameters. */
  readonly mediaType?: string | undefined;
  /** Octets, only where stated as such: no rounded sizes for people. */
  readonly length?: number | undefined;
  /** `md5:…`, `sha-1:…` or `sha-256:…` in lower-case hex, as stated upstream. */
  readonly hash?: string | undefined;
  /** Undefined: nothing is said, which is no reason to keep it back. */
  readonly access?: FileAccess | undefined;
  /** Of embargoed ones: from when on everybody may read it, ISO UTC; undefined: not known. */
  readonly availableAt?: string | undefined;
  /** As stated: a COAR version URI, `published`, … */
  readonly version?: string | undefined;
}

/** `unknown`: the upstream lists what it does not hand out, too; published once its server has handed it out. */
export type FileAccess = 'open' | 'embargoed' | 'restricted' | 'unknown';
