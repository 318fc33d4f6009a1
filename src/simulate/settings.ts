/** What a simulated Source is like, faults left out. */
export interface SimulatorSettings {
  readonly seed: number;
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** As documents have it; undefined: what it listens on. */
  readonly baseUrl: string | undefined;
  /** For people. */
  readonly title: string;
  readonly resources: number;
  readonly size: number;
  /** Changes a second, on average; 0: only those that somebody asks for. */
  readonly rate: number;
  readonly events: readonly EventKind[];
  /** Then it holds still; undefined: never. */
  readonly maximumEvents: number | undefined;
  readonly paths: PathKind;
  /** Seconds between two Resource Lists and dumps; 0: always as of now; Infinity: when somebody asks for one. */
  readonly listEverySeconds: number;
  /** So many of the latest changes are told; undefined: all. */
  readonly maximumChanges: number | undefined;
  /** A Change List is closed after so many; undefined: there is one, which stays open. */
  readonly closeAfter: number | undefined;
  /** Entries of one document. */
  readonly partSize: number;
  readonly packageSize: number;
  /** Dumps link to the manifests of their packages, which are documents of their own as well. */
  readonly linksManifests: boolean;
  readonly offers: readonly OfferedCapability[];
  /** Which facts entries state. */
  readonly facts: readonly StatedFact[];
  /** Former states are kept, and entries link to their own (`memento`). */
  readonly mementos: boolean;
  /** Answers are compressed for whoever takes them so. */
  readonly gzip: boolean;
  readonly latencyMs: number;
  readonly names: DocumentNames;
}

export type OfferedCapability = 'resourcelist' | 'changelist' | 'resourcedump' | 'changedump';
export type StatedFact = 'hash' | 'length' | 'lastmod' | 'type';

/** Addresses as usual, those that are hard to keep as files, or those that lead out of a directory. */
export type PathKind = 'plain' | 'odd' | 'climbing';
export type EventKind = 'create' | 'update' | 'delete';

/** Where documents are, each with its leading slash. */
export interface DocumentNames {
  readonly description: string;
  readonly capabilitylist: string;
  readonly resourcelist: string;
  readonly changelist: string;
  readonly resourcedump: string;
  readonly changedump: string;
}

/** As those of the reference's simulator, where that has them. */
export const usualSettings: SimulatorSettings = {
  seed: 1,
  host: '127.0.0.1',
  port: 8888,
  baseUrl: undefined,
  title: 'Simulated Source',
  resources: 1000,
  size: 1000,
  rate: 0.5,
  events: ['create', 'update', 'delete'],
  maximumEvents: undefined,
  paths: 'plain',
  listEverySeconds: 0,
  maximumChanges: undefined,
  closeAfter: undefined,
  partSize: 50_000,
  packageSize: 1000,
  linksManifests: false,
  offers: ['resourcelist', 'changelist'],
  facts: ['hash', 'length', 'lastmod', 'type'],
  mementos: false,
  gzip: false,
  latencyMs: 0,
  names: {
    description: '/.well-known/resourcesync',
    capabilitylist: '/capabilitylist.xml',
    resourcelist: '/resourcelist.xml',
    changelist: '/changelist.xml',
    resourcedump: '/resourcedump.xml',
    changedump: '/changedump.xml',
  },
};
