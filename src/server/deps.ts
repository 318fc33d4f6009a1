import type { IncomingMessage } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import type { LoggerOptions } from 'pino';
import type { Clock } from '../core/adapter.ts';
import type { FilesConfig, MementosConfig } from '../core/config/config.ts';
import type { DraftChoices } from '../core/drafts/source-draft.ts';
import type { FileRefusal, UpstreamFiles } from '../core/files/upstream-files.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import type { OwnSet } from '../oai/sets/own-sets.ts';
import type { Publication, PublishedSet } from '../publish/published/publication.ts';
import type { Actor } from '../store/admin/audit.ts';
import type { Database } from '../store/engine/database.ts';
import type { PushLimits } from '../store/push/intents.ts';
import type { ListedSubscription } from '../store/push/subscriptions.ts';
import type { AskedKind } from '../store/runs/asked.ts';
import type { AnsweringProcesses } from './answering-processes.ts';
import type { ConnectionSettings } from './connections/connections.ts';
import type { Follower } from './follower.ts';
import type { Inbox } from './inbox.ts';
import type { Measures, StorageMeasures, UpstreamAnswers } from './measures.ts';
import type { Past } from './past.ts';
import type { Privacy } from './privacy.ts';
import type { RequestMetrics } from './request-metrics.ts';
import type { Language } from './words/language.ts';

/** Everything the server is given; it opens nothing and reads no environment. */
export interface ServerDeps {
  readonly database: Database;
  readonly publication: Publication;
  /** The data directory, where large contents are. */
  readonly directory: string;
  /** Whether anything is served at the addresses of a source; default: at those of all. */
  servesSource?(source: string): boolean | Promise<boolean>;
  /** What is not for everybody; undefined: everything is. */
  readonly privacy?: Privacy | undefined;
  /** How the files of a source are published; undefined where it is not configured. */
  fileMode(source: string): FilesConfig['mode'] | undefined;
  /** What is handed out of the past of a source; undefined where it is not configured. */
  mementosOf?(source: string): MementosConfig | undefined;
  /** The past of a document, by its path; undefined: it has none. */
  documentPasts?(path: string): Promise<Past | undefined>;
  /** Whether pages show what things were; not where no TimeGate stands beside them (an export). Default: true. */
  readonly timelines?: boolean | undefined;
  /** Whose request it is; undefined: all are the same to us. */
  clientOf?(request: IncomingMessage): string;
  /** The repository of a source said no when it was asked for a file: everybody is to know. */
  noteRefusal?(source: string, url: string, refusal: FileRefusal): Promise<void>;
  /** Sets that `/about` names on one page; default: 200. A file cannot be asked for the next one. */
  readonly setsPerPage?: number | undefined;
  /** Undefined: files are served as far as they are kept. */
  readonly upstreamFiles?: UpstreamFiles | undefined;
  /** Where the world sees us. Every URI in our output begins with it, whatever the request said. */
  readonly baseUrl: string;
  /** The institution's name, for people. */
  readonly title: string;
  readonly version: string;
  /** How a source answers OAI-PMH; undefined: it does not, and neither does anything without this. */
  oai?(source: string): OaiOffer | undefined;
  /** The same of all sources together. */
  jointOai?(): JointOaiOffer | undefined;
  /** Sources whose items are found by words; undefined: nothing is searched, and no page speaks of it. */
  readonly search?: SearchedSources | undefined;
  /** In which words and times pages speak; default: English and UTC for whoever says nothing else. */
  readonly pages?: PageSettings | undefined;
  /** Whether robots.txt names the Resource Lists (RS-DISC-09). */
  readonly robots: boolean;
  readonly clock: Pick<Clock, 'now'>;
  /** How patient it is with connections; default: as configured by default. */
  readonly connections?: ConnectionSettings | undefined;
  readonly log: FastifyBaseLogger | LoggerOptions;
  /** @param title of the source, where the configuration has none */
  setsOf(source: string, title?: string): readonly ResourceSet[];
  /** Sets across sources; default: there are none. */
  jointSets?(): readonly ResourceSet[];
  sources(): Promise<readonly SourceOverview[]>;
  /** `publication.sets()`, perhaps of a moment ago: for what speaks of all of them. Default: now. */
  published?(): Promise<readonly PublishedSet[]>;
  /** For `/metrics`; undefined: it tells of the sources what `sources` does. */
  measures?(): Promise<Measures>;
  /** For the dashboard; undefined: nothing is measured. */
  storage?(): Promise<StorageMeasures>;
  upstreamAnswers?(): readonly UpstreamAnswers[];
  /** Where `/metrics` is; default: here. */
  readonly metrics?: 'here' | 'elsewhere' | undefined;
  /** Of all that answer requests in this process; default: of this server alone. */
  readonly requestMetrics?: RequestMetrics | undefined;
  /** The dashboard and its API; undefined: they are not here. */
  readonly admin?: AdminDeps | undefined;
  /** What a link shows that was sent to somebody; undefined: it has ended, or never was. Without it there are none. */
  readonly shared?: ((secret: string) => Promise<SharedSource | undefined>) | undefined;
  /** Where other services tell of items; undefined: nothing is taken. */
  readonly inbox?: Inbox | undefined;
  /** Where hubs of Sources that are followed call back; undefined: nobody is answered there. */
  readonly follower?: Follower | undefined;
  /** Where several processes answer side by side: what they know of one another. Default: this one answers alone. */
  readonly processes?: AnsweringProcesses | undefined;
  /** Who is told of changes as they happen; undefined: nobody can ask for it here. */
  readonly push?: PushOffer | undefined;
  /** Before a request is answered; it waits for this. */
  readonly admit?: ((visit: AskedFor) => Promise<void>) | undefined;
}

/** What is configured of those who want to be told of changes. */
export interface PushOffer {
  /** Whether they subscribe here. */
  readonly hub: boolean;
  readonly leaseSeconds: number;
  readonly limits: PushLimits;
  /** Where changes of a set can be subscribed to; none: it has no channels. */
  hubsOf(set: ResourceSet): readonly string[];
}

/** What is configured of a source as an OAI-PMH repository. */
export interface OaiOffer {
  readonly adminEmail: string;
  /** Instead of what the repository calls itself. */
  readonly name?: string | undefined;
  /** Of its identifiers: `oai:<namespace>:…`. */
  readonly namespace?: string | undefined;
  /** The address of the licence of its metadata. */
  readonly rights?: string | undefined;
  /** The address of an image. */
  readonly icon?: string | undefined;
  /** Sets that are configured here; default: none. */
  readonly sets?: readonly OwnSet[] | undefined;
  /** Other sources that are offered here. */
  readonly friends: readonly string[];
}

/** What is configured of all sources as one repository. */
export interface JointOaiOffer extends Omit<OaiOffer, 'namespace' | 'sets'> {
  readonly name: string;
  /** Those that are in it, in the order of their names. */
  readonly sources: ReadonlyMap<
    string,
    {
      /** For people. */
      readonly title: string;
      /** As of an `OaiOffer`. */
      readonly namespace: string | undefined;
    }
  >;
}

export interface SearchedSources {
  has(source: string): boolean;
}

/** What the dashboard and its API are given beside what everything else is. */
export interface AdminDeps {
  /** The password of the first account stands in the configuration, and is changed there. */
  readonly passwordConfigured: boolean;
  /** Of a proxy that has signed people in before: who it says it is. */
  nameOf(request: IncomingMessage): string | undefined;
  /** Of the installation, as they are in force, secrets masked. */
  settings(): readonly Setting[];
  /** By the same functions as the command line. */
  readonly acts: SourceActs;
  /** The same, for sources that there are not yet. */
  readonly newSources: NewSourceActs;
  /** As `rsbridge withdraw` and `rsbridge restore`. */
  readonly takedown: TakedownActs;
  readonly installation: InstallationActs;
  readonly subscriptions: SubscriptionActs;
}

export type ToldSubscription = ListedSubscription;

/** Who is told of changes as they happen; noted in the audit log. */
export interface SubscriptionActs {
  list(): Promise<readonly ToldSubscription[]>;
  /** @returns the secret, which is not shown again. BridgeError `usage`, `unknown-set` */
  add(
    wanted: {
      readonly url: string;
      readonly set: string;
      readonly secret?: string | undefined;
      readonly label?: string | undefined;
    },
    by: Actor,
  ): Promise<{ readonly id: number; readonly secret: string }>;
  /** BridgeError `not-found` */
  remove(id: number, by: Actor): Promise<void>;
  /** BridgeError `not-found`, `usage` */
  test(id: number, by: Actor): Promise<{ readonly delivered: boolean; readonly reason?: string | undefined }>;
}

/** What concerns all sources at once; noted in the audit log. */
export interface InstallationActs {
  /** The Resource Lists of all sets anew, or their dumps: whichever process publishes does it. */
  publish(what: 'lists' | 'dumps', by: Actor): Promise<void>;
  /** Every process at this database reads its configuration again. */
  reload(by: Actor): Promise<void>;
  /** Where somebody opens a link to set a password. @param secret of it */
  linkOf(secret: string): string;
}

/** What is taken down, and published again; noted in the audit log. */
export interface TakedownActs {
  /** The latest first. @param page `before`: the number of one, those before it */
  list(page: { readonly before?: number | undefined; readonly limit: number }): Promise<readonly TakenDown[]>;
  /**
   * What would be taken down.
   * @param what an address of ours, or what the repository calls an item. BridgeError `unknown-resource`, `already-withdrawn`
   */
  plan(what: string): Promise<TakedownPlan>;
  /** BridgeError as for `plan` */
  withdraw(what: string, reason: string | undefined, by: Actor): Promise<Takedown>;
  /** BridgeError `unknown-resource`, `not-withdrawn` */
  restore(what: string, by: Actor): Promise<Restoration>;
}

export interface TakenDown {
  readonly id: number;
  readonly uri: string;
  readonly source: string;
  readonly identifier: string;
  readonly reason: string | undefined;
  /** ISO. */
  readonly at: string;
}

export interface TakedownPlan {
  /** Of the resource, or of the page of the item. */
  readonly uri: string;
  readonly source: string;
  readonly identifier: string;
  /** URIs that answer 410 from then on. */
  readonly resources: readonly string[];
}

export interface Takedown extends TakedownPlan {
  /** Whether the journal says so; else whoever works on the source sees to it within a minute. */
  readonly announced: boolean;
  /** Undefined: they are still being removed. */
  readonly contentsRemoved: number | undefined;
}

export interface Restoration {
  readonly restored: readonly string[];
  /** The numbers by which it can be followed how the repository is asked for them. */
  readonly tasks: readonly number[];
}

/**
 * A source is added step by step: its address is looked at, it is tried, it is kept in the database. What takes a while goes
 * on when these have returned, and is told by its draft (`src/store/admin/drafts.ts`).
 */
export interface NewSourceActs {
  /** Of the configuration. */
  groups(): readonly string[];
  /** @returns the number of the draft. BridgeError `usage` where the address is none of the web */
  look(
    wanted: { readonly address: string } & Pick<DraftChoices, 'adapter' | 'group'>,
    by: Actor,
  ): Promise<number>;
  /** Reads its first page, and stores nothing. BridgeError `usage`, `not-found` */
  trial(draft: number, choices: DraftChoices, by: Actor): Promise<void>;
  /** @returns the name of the source. BridgeError `usage`, `not-found` */
  keep(draft: number, choices: DraftChoices, by: Actor): Promise<string>;
}

/** What is done with sources, noted in the audit log. Names that there are not: BridgeError `unknown-source`. */
export interface SourceActs {
  /** @param how `until`: a moment or the name of a day; BridgeError `usage` where it is neither */
  pause(
    sources: readonly string[],
    how: { readonly until?: string | undefined; readonly reason?: string | undefined },
    by: Actor,
  ): Promise<void>;
  resume(sources: readonly string[], by: Actor): Promise<void>;
  /**
   * @param what of items their identifiers; of deletions the run that showed them; of records that could not be read their
   * cause, none: all of them
   * @returns the numbers by which it can be followed
   */
  ask(
    sources: readonly string[],
    what: { readonly kind: AskedKind; readonly what?: readonly string[] },
    by: Actor,
  ): Promise<readonly number[]>;
  stop(sources: readonly string[], by: Actor): Promise<void>;
  /** What the run did not find is kept. BridgeError `vanished-changed` where it shows nothing, now */
  reject(source: string, run: number, by: Actor): Promise<void>;
  /** Of a source as it is configured, secrets masked. */
  settingsOf(source: string): Promise<SourceSettings>;
  /** Of a source that is kept in the database, as somebody gave them. BridgeError `usage` where a file has it */
  keptSettings(source: string): Promise<KeptSettings>;
  /** @param patch settings by name, as JSON Merge Patch. BridgeError `usage`, `source-changed` */
  change(source: string, patch: SettingsPatch, by: Actor, expected?: string): Promise<KeptSettings>;
  /** Out of the database; what was harvested stays. BridgeError `usage`, `source-changed` */
  remove(source: string, by: Actor, expected?: string): Promise<void>;
}

/** A setting that is null is unset; one within another stands in an object (RFC 7396). */
export type SettingsPatch = Readonly<Record<string, unknown>>;

export interface KeptSettings {
  readonly settings: Readonly<Record<string, unknown>>;
  /** Another one for other settings. */
  readonly tag: string;
}

/** The settings of a source, and where it is configured. */
export interface SourceSettings {
  readonly from: 'file' | 'database';
  /** The path of the file. */
  readonly place?: string;
  readonly settings: readonly Setting[];
}

/** A setting in force, and where its value comes from. */
export interface Setting {
  /** Dotted. */
  readonly key: string;
  readonly value: unknown;
  /** `command`: what runs has set it itself, as `rsbridge demo` does. */
  readonly from: 'default' | 'file' | 'environment' | 'flag' | 'database' | 'group' | 'command';
  /** The path of the file, the name of the variable, flag or group. */
  readonly place?: string | undefined;
  /** What a file says instead of the value: `${VARIABLE}`, or the path of another file. */
  readonly through?: string | undefined;
}

export interface PageSettings {
  readonly language: Language;
  /** Of the IANA database. */
  readonly timeZone: string;
  /** Nobody can ask for another language: the pages are to be files. */
  readonly isAlone?: boolean;
}

/** A request, as far as it tells who asks for what. */
export interface AskedFor {
  readonly target: string;
  readonly accept: string | undefined;
  readonly agent: string | undefined;
}

/** The worst first. */
export const sourceWords = ['failed', 'attention', 'running', 'paused', 'new', 'ok'] as const;
export type SourceWord = (typeof sourceWords)[number];

/** How a source is, for those who look after the repository and have no account. Times are ISO UTC. */
export interface SharedSource {
  readonly name: string;
  readonly title: string;
  readonly word: SourceWord;
  /** Why it could not be harvested, as the repository or the network said. */
  readonly reason?: string | undefined;
  readonly lastSuccessAt?: string | undefined;
  readonly nextRunAt?: string | undefined;
  readonly items: number;
  readonly resources: number;
  /** Of the week. */
  readonly changes: number;
  /** Records that cannot be read, and the first of them. */
  readonly unreadable: number;
  readonly problems: readonly { readonly identifier?: string | undefined; readonly message: string }[];
  /** Items that its list does not name, and that are published until somebody decides. */
  readonly vanished: number;
  /** Since when so many files are refused that none of these is served. */
  readonly refusedSince?: string | undefined;
}

/** What people and monitors are told of one source. Times are ISO UTC seconds. */
export interface SourceOverview {
  readonly name: string;
  readonly title: string;
  /** What it is doing now, in a sentence. */
  readonly state: string;
  /** The same for people, who read other languages, too; programs get `state`. */
  stateIn?(language: Language): string;
  readonly healthy: boolean;
  /** The same in one word; default: by `healthy` and `harvesting`. */
  readonly word?: SourceWord | undefined;
  /** Its first harvest is not over, so nothing of it is published yet; nothing is wrong with that. */
  readonly harvesting?: boolean | undefined;
  /** A process reads it now, or has begun to. */
  readonly isUnderWay?: boolean | undefined;
  readonly lastSuccessAt?: string | undefined;
  readonly lastRunAt?: string | undefined;
  readonly nextRunAt?: string | undefined;
  /** That are published: with metadata that lives. */
  readonly items: number;
  /** Living ones. */
  readonly resources: number;
  /** In the last 24 hours. */
  readonly recentChanges: number;
  /** The latest problem, in a sentence. */
  readonly problem?: string | undefined;
}
