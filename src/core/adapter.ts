import type { Problem } from './problem.ts';
import type { Threads } from './threads.ts';
import type { AskedWindow } from './under-way.ts';
import type { Holdings } from './upstream/holdings.ts';
import type { Http } from './upstream/http.ts';
import type { FileOrigin, SourceFile } from './upstream/source-file.ts';

export { forbidsDeletions, type Problem, type ProblemCode } from './problem.ts';
export type { HeldItem, HeldMetadata, Holdings } from './upstream/holdings.ts';
export type { Http, HttpOptions, HttpResponse } from './upstream/http.ts';
export type { FileAccess, FileOrigin, SourceFile } from './upstream/source-file.ts';

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

  /**
   * Whether everybody may read the item that was delivered from an address (`upstreamUrl`), whatever has its identifier by now;
   * undefined: the answer does not tell. Where there is no such method, nobody asks.
   */
  isShown?(address: string, signal: AbortSignal): Promise<boolean | undefined>;
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
  /** A Source of ResourceSync: what of it is followed. */
  readonly resourcesync?:
    | {
        /** Of several sets this one: its Capability List, or the end of its folder. */
        readonly set?: string | undefined;
        /** Further hosts whose metadata may be fetched; `*`: all. */
        readonly hosts?: readonly string[] | undefined;
        /** Earlier states of records are read where the Source has TimeMaps. */
        readonly history?: boolean | undefined;
      }
    | undefined;
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
  /** What this source has in store; undefined: nobody looks there, as when an address is only tried. */
  readonly holdings?: Holdings | undefined;
  /** The name of another source of this bridge that reads what is at this address; undefined: none does. */
  readonly readBy?: ((uri: string) => string | undefined) | undefined;
  /** Where the world sees what we publish ourselves, without a slash at the end. */
  readonly baseUrl?: string | undefined;
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

export interface RepositoryInfo {
  readonly name: string;
  /** e.g. `OAI-PMH`. */
  readonly protocol: string;
  readonly protocolVersion: string;
  /** The URL that the upstream calls its own. */
  readonly baseUrl?: string;
  /**
   * What to configure instead of the address that is: each redirect of it is for good. False: it answers where it is;
   * undefined: that was not seen.
   */
  readonly moved?: string | false | undefined;
  readonly deletedRecords: 'no' | 'transient' | 'persistent';
  readonly granularity: 'day' | 'second';
  readonly earliestDatestamp?: string | undefined;
  readonly adminEmails?: readonly string[];
  /** Every format the upstream offers; `selected` are those a harvest will take. */
  readonly formats: readonly MetadataFormat[];
  /**
   * What is missing from a complete list is asked for, and judged by the answer: `each` item, however many, because
   * the upstream can say what became of it; or a sample, the default. `none`: the list itself is the upstream's word.
   */
  readonly triage?: 'each' | 'sample' | 'none';
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
  /** When the last pass over everything ended well, ISO UTC by our clock; undefined: it did not. */
  readonly lastWhole?: string | undefined;
  /** Nothing of the source is known: what comes will be kept whole. */
  readonly isFirst?: boolean | undefined;
  /** Everything is read, not only compared: payloads in store that are damaged are delivered again. */
  readonly mends?: boolean | undefined;
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
  /**
   * True: what is gone of it is there, and not for everybody: withdrawn, made private, or kept for those who log in. Then what it
   * was before is for nobody either, as long as that lasts.
   */
  readonly refused?: boolean | undefined;
  readonly metadata: readonly SourceMetadata[];
  /** More metadata, whose bytes are in store as they are: nobody had to fetch them. */
  readonly same?: readonly SameMetadata[] | undefined;
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
  /** The numbers of earlier states that are not for everybody, as far as anybody can say. */
  readonly hiddenVersions?: readonly number[] | undefined;
  /** The item's landing page, where the upstream states one. */
  readonly landingPage?: string | undefined;
}

/** An earlier state of an item, which its upstream keeps; only what everybody may read. */
export interface SourceVersion {
  /** What it was called while it was an item of its own; undefined: it never was, or nobody says. */
  readonly identifier?: string | undefined;
  /** What that is in, as of items; undefined: nobody says. */
  readonly collections?: readonly string[] | undefined;
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
  /** Where that has it from, which is then the one that counts as its origin (RS-AGG-01); default `upstreamUrl`. */
  readonly via?: string | undefined;
  /** When the upstream says that these bytes last changed, ISO UTC; default: the item's datestamp. */
  readonly lastModified?: string | undefined;
}

/** Metadata that is in store already, by the hash of its bytes. */
export type SameMetadata = Omit<SourceMetadata, 'content' | 'hash' | 'deflated'> & {
  readonly hash: string;
  /** Octets. */
  readonly length: number;
};
