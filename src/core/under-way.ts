/** What takes a while tells how far it is, for whoever looks on. Telling costs next to nothing, and fails for nobody. */
export interface WorkTracker {
  begin(work: NewWork): TrackedWork;
}

export interface NewWork {
  readonly kind: WorkKind;
  /** Empty: of no one source. */
  readonly source: string;
  /** The path of a set that is published. */
  readonly set?: string | undefined;
}

export const workKinds = [
  ...(['harvest', 'full', 'identifiers', 'files', 'asked'] as const),
  ...(['lists', 'dumps'] as const),
] as const;
export type WorkKind = (typeof workKinds)[number];

/** What is done now; of files: what is asked for. */
export const workPhases = [
  ...(['beginning', 'reading', 'comparing', 'deleting', 'settling', 'ending'] as const),
  ...(['files', 'pages', 'items'] as const),
  ...(['resourceList', 'resourceDump', 'changeDump', 'changes'] as const),
] as const;
export type WorkPhase = (typeof workPhases)[number];

export interface TrackedWork {
  /** What is left out stays as it was. */
  tell(state: WorkState): void;
  /** To the repository since it began here, those of other work on the source meanwhile included; undefined: nobody counts. */
  requests(): number | undefined;
  end(): void;
}

export interface WorkState {
  /** It has turned out to be another one. */
  readonly kind?: WorkKind;
  readonly phase?: WorkPhase;
  readonly run?: number;
  readonly done?: number;
  readonly expected?: number | undefined;
  readonly window?: AskedWindow | undefined;
}

/** What is asked for now: a list, and of which time (ISO UTC; undefined: open). */
export interface AskedWindow {
  /** A format, perhaps with a set. */
  readonly list?: string | undefined;
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

/** Where nobody looks on. */
export const untracked: TrackedWork = {
  tell: () => undefined,
  requests: () => undefined,
  end: () => undefined,
};
