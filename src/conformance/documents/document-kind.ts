/** The kinds of documents, and what Appendix A and the attribute matrix (checklist 2a, 3) say of each. */

const archives = ['RLA', 'RDA', 'CLA', 'CDA', 'RLAI', 'RDAI', 'CLAI', 'CDAI'] as const;

export type DocumentKind =
  | ('SD' | 'SDI' | 'CAP' | 'RL' | 'RLI' | 'RD' | 'RDI' | 'RDM' | 'CL' | 'CLI' | 'CD' | 'CDI' | 'CDM')
  | (typeof archives)[number];

export interface KindRules {
  readonly root: 'urlset' | 'sitemapindex';
  readonly capability: string;
  /** That its root element and capability are these. */
  readonly rootRule: string;
  /** The rules that the root's times follow: Appendix A's row, and the section's own where it has one. */
  readonly timeRules: string;
  /** The same for times in entries, where they may not be. */
  readonly entryTimeRules?: string;
  /** Mandatory at the root; the other pair is forbidden there. */
  readonly rootTime?: 'at' | 'from';
  /** The rules broken where `rootTime` is missing. */
  readonly missingTimeRules?: string;
  /** May stand in entries; no other time may. */
  readonly entryTime?: 'at' | 'from';
  /** The rule, where the entry's time is recommended. */
  readonly recommendedTimeRule?: string;
  /** Besides RS-NAV-01; a Source Description has no `up`. */
  readonly upRules?: string;
  /** Besides RS-GEN-07. */
  readonly locRule: string;
  /** Entry attributes besides times. */
  readonly entry: readonly string[];
  /** Those of them that must be there, by the rules that say so. */
  readonly required: Readonly<Record<string, string>>;
  /** The section's own rule about attributes that have no place in an entry. */
  readonly foreign?: { readonly rule: string; readonly names: readonly string[] };
}

const facts = ['hash', 'length', 'type', 'encoding'] as const;
const change = ['change', 'datetime', ...facts] as const;

export const documentKinds: Readonly<Record<DocumentKind, KindRules>> = {
  SD: {
    root: 'urlset',
    capability: 'description',
    rootRule: 'RS-SD-01',
    timeRules: 'RS-SD-11',
    entryTimeRules: 'RS-SD-11',
    locRule: 'RS-SD-04',
    entry: ['capability'],
    required: { capability: 'RS-SD-05 RS-ATTR-03' },
  },
  SDI: {
    root: 'sitemapindex',
    capability: 'description',
    rootRule: 'RS-SD-08',
    timeRules: 'RS-SD-11',
    locRule: 'RS-SD-08',
    // That of its members, or of theirs where a Source Description is written as an index.
    entry: ['capability'],
    required: {},
  },
  CAP: {
    root: 'urlset',
    capability: 'capabilitylist',
    rootRule: 'RS-CAP-02',
    timeRules: 'RS-CAP-16',
    entryTimeRules: 'RS-CAP-16',
    upRules: 'RS-CAP-03',
    locRule: 'RS-CAP-07',
    entry: ['capability'],
    required: { capability: 'RS-CAP-08 RS-ATTR-03' },
  },
  RL: {
    root: 'urlset',
    capability: 'resourcelist',
    rootRule: 'RS-RL-01',
    timeRules: 'RS-A-01 RS-RL-11',
    entryTimeRules: 'RS-A-01',
    rootTime: 'at',
    missingTimeRules: 'RS-RL-02 RS-A-01',
    upRules: 'RS-RL-04',
    locRule: 'RS-RL-07',
    entry: facts,
    required: {},
    foreign: { rule: 'RS-RL-11', names: ['from', 'until', 'change', 'datetime', 'path'] },
  },
  RLI: {
    root: 'sitemapindex',
    capability: 'resourcelist',
    rootRule: 'RS-RLI-01',
    timeRules: 'RS-A-02',
    entryTimeRules: 'RS-A-02',
    rootTime: 'at',
    missingTimeRules: 'RS-RLI-02 RS-A-02',
    entryTime: 'at',
    upRules: 'RS-RLI-04',
    locRule: 'RS-RLI-06',
    entry: [],
    required: {},
  },
  RD: {
    root: 'urlset',
    capability: 'resourcedump',
    rootRule: 'RS-RD-01',
    timeRules: 'RS-A-03',
    entryTimeRules: 'RS-A-03',
    rootTime: 'at',
    missingTimeRules: 'RS-RD-02 RS-A-03',
    entryTime: 'at',
    upRules: 'RS-RD-03',
    locRule: 'RS-RD-06',
    entry: facts,
    required: {},
  },
  RDI: {
    root: 'sitemapindex',
    capability: 'resourcedump',
    rootRule: 'RS-RDI-01',
    timeRules: 'RS-A-04 RS-RDI-01',
    entryTimeRules: 'RS-A-04',
    rootTime: 'at',
    missingTimeRules: 'RS-RDI-01 RS-A-04',
    entryTime: 'at',
    upRules: 'RS-RDI-01',
    locRule: 'RS-RDI-01',
    entry: [],
    required: {},
  },
  RDM: {
    root: 'urlset',
    capability: 'resourcedump-manifest',
    rootRule: 'RS-RDM-03',
    timeRules: 'RS-A-05',
    entryTimeRules: 'RS-A-05',
    rootTime: 'at',
    missingTimeRules: 'RS-RDM-04 RS-A-05',
    upRules: 'RS-RDM-05',
    locRule: 'RS-RDM-07',
    entry: ['path', ...facts],
    required: { path: 'RS-RDM-09' },
  },
  CL: {
    root: 'urlset',
    capability: 'changelist',
    rootRule: 'RS-CL-01',
    timeRules: 'RS-A-06 RS-CL-15',
    entryTimeRules: 'RS-A-06',
    rootTime: 'from',
    missingTimeRules: 'RS-CL-02 RS-A-06',
    upRules: 'RS-CL-06',
    locRule: 'RS-CL-09',
    entry: change,
    required: { change: 'RS-CL-11' },
    foreign: { rule: 'RS-CL-15', names: ['at', 'completed', 'from', 'until', 'path', 'capability'] },
  },
  CLI: {
    root: 'sitemapindex',
    capability: 'changelist',
    rootRule: 'RS-CLI-03',
    timeRules: 'RS-A-07 RS-CLI-09',
    entryTimeRules: 'RS-A-07',
    rootTime: 'from',
    missingTimeRules: 'RS-CLI-03 RS-A-07',
    entryTime: 'from',
    recommendedTimeRule: 'RS-CLI-06',
    upRules: 'RS-CLI-04',
    locRule: 'RS-CLI-05',
    entry: [],
    required: {},
    foreign: { rule: 'RS-CLI-09', names: ['at', 'completed'] },
  },
  CD: {
    root: 'urlset',
    capability: 'changedump',
    rootRule: 'RS-CD-01',
    timeRules: 'RS-A-08 RS-CD-15',
    entryTimeRules: 'RS-A-08',
    rootTime: 'from',
    missingTimeRules: 'RS-CD-02 RS-A-08',
    entryTime: 'from',
    recommendedTimeRule: 'RS-CD-07',
    upRules: 'RS-CD-03',
    locRule: 'RS-CD-05',
    entry: facts,
    required: {},
    foreign: { rule: 'RS-CD-15', names: ['at', 'completed'] },
  },
  CDI: {
    root: 'sitemapindex',
    capability: 'changedump',
    rootRule: 'RS-CDI-01',
    timeRules: 'RS-A-09 RS-CDI-01',
    entryTimeRules: 'RS-A-09',
    rootTime: 'from',
    missingTimeRules: 'RS-CDI-01 RS-A-09',
    entryTime: 'from',
    recommendedTimeRule: 'RS-CDI-01',
    upRules: 'RS-CDI-01',
    locRule: 'RS-CDI-01',
    entry: [],
    required: {},
  },
  CDM: {
    root: 'urlset',
    capability: 'changedump-manifest',
    rootRule: 'RS-CDM-03',
    timeRules: 'RS-A-10',
    entryTimeRules: 'RS-A-10',
    rootTime: 'from',
    missingTimeRules: 'RS-CDM-03 RS-A-10',
    upRules: 'RS-CDM-05',
    locRule: 'RS-CDM-07',
    entry: ['path', ...change],
    required: { change: 'RS-CDM-08' },
  },
  RLA: archive('resourcelist-archive', 'at'),
  RDA: archive('resourcedump-archive', 'at'),
  CLA: archive('changelist-archive', 'from'),
  CDA: archive('changedump-archive', 'from'),
  RLAI: archiveIndex('resourcelist-archive'),
  RDAI: archiveIndex('resourcedump-archive'),
  CLAI: archiveIndex('changelist-archive'),
  CDAI: archiveIndex('changedump-archive'),
};

function archive(capability: string, entryTime: 'at' | 'from'): KindRules {
  const entryTimeRules = entryTime === 'at' ? 'AR-07' : 'AR-08';
  const common = { timeRules: 'AR-02', entryTimeRules, upRules: 'AR-03', locRule: 'AR-05' };
  return { root: 'urlset', capability, rootRule: 'AR-01', ...common, entryTime, entry: [], required: {} };
}

function archiveIndex(capability: string): KindRules {
  const common = { timeRules: 'AR-10', entryTimeRules: 'AR-10', upRules: 'AR-10', locRule: 'AR-10' };
  return { root: 'sitemapindex', capability, rootRule: 'AR-10', ...common, entry: [], required: {} };
}

const byRootAndCapability: ReadonlyMap<string, DocumentKind> = new Map(
  Object.entries(documentKinds).map(([kind, { root, capability }]) => [
    `${root} ${capability}`,
    kind as DocumentKind,
  ]),
);

export function kindOf(root: string, capability: string | undefined): DocumentKind | undefined {
  return byRootAndCapability.get(`${root} ${capability}`);
}

export function isArchive(kind: DocumentKind | undefined): boolean {
  return archives.some((archived) => archived === kind);
}

export function isIndex(kind: DocumentKind | undefined): boolean {
  return kind !== undefined && documentKinds[kind].root === 'sitemapindex';
}

/** The lists whose entries are resources, not documents. */
export function isResourceKind(kind: DocumentKind | undefined): kind is 'RL' | 'RDM' | 'CL' | 'CDM' {
  return kind === 'RL' || kind === 'RDM' || kind === 'CL' || kind === 'CDM';
}

/** What a Capability List may name: the four of the core and their archives. */
export const setCapabilities: readonly string[] = [
  'resourcelist',
  'resourcedump',
  'changelist',
  'changedump',
].flatMap((capability) => [capability, `${capability}-archive`]);

/** RS-GEN-04: those of the core, of the Archives and of the Notification specifications. */
export const capabilities: ReadonlySet<string> = new Set([
  ...Object.values(documentKinds).map(({ capability }) => capability),
  'change-notification',
  'framework-notification',
]);

/** The same but for case, separators, a plural or an `index` at the end: more likely a slip than another value. */
export function isNearly(known: string, given: string): boolean {
  return known !== given && bare(known) === bare(given);
}

function bare(capability: string): string {
  return capability
    .toLowerCase()
    .replace(/[^a-z]/g, '')
    .replace(/(index|s)$/, '');
}

/** The rule about root and capability of what a document was meant to be, as far as that can be guessed. */
export function meantRootRule(root: string, capability: string): string | undefined {
  // What ResourceSync 0.9 called a Source Description.
  if (capability === 'resourcesync') return documentKinds.SD.rootRule;
  const meant = Object.values(documentKinds).find(
    (rules) => rules.root === root && isNearly(rules.capability, capability),
  );
  return meant?.rootRule;
}

/** The rule broken where a document of this capability should be, by the root that is there instead. */
export function rootRuleOf(root: string | undefined, capability: string): string | undefined {
  const index = root === 'sitemapindex' ? kindOf('sitemapindex', capability) : undefined;
  const kind = index ?? kindOf('urlset', capability);
  return kind === undefined ? undefined : documentKinds[kind].rootRule;
}
