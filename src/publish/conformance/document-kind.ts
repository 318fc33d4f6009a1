/** The twelve kinds of documents, and what Appendix A and the attribute matrix (checklist 2a, 3) say of each. */

export type DocumentKind =
  | 'SD'
  | 'CAP'
  | 'RL'
  | 'RLI'
  | 'RD'
  | 'RDI'
  | 'RDM'
  | 'CL'
  | 'CLI'
  | 'CD'
  | 'CDI'
  | 'CDM';

export interface KindRules {
  readonly root: 'urlset' | 'sitemapindex';
  readonly capability: string;
  /** The rule that the root's times follow (Appendix A, Table 4). */
  readonly timeRule: string;
  /** Mandatory at the root; the other pair is forbidden there. */
  readonly rootTime?: 'at' | 'from';
  /** May stand in entries; no other time may. */
  readonly entryTime?: 'at' | 'from';
  /** The rule, where the entry's time is recommended. */
  readonly entryTimeRule?: string;
  /** Entry attributes besides times. */
  readonly entry: readonly string[];
  /** Those of them that must be there, by the rule that says so. */
  readonly required: Readonly<Record<string, string>>;
}

const facts = ['hash', 'length', 'type', 'encoding'] as const;
const change = ['change', 'datetime', ...facts] as const;

export const documentKinds: Readonly<Record<DocumentKind, KindRules>> = {
  SD: {
    root: 'urlset',
    capability: 'description',
    timeRule: 'RS-SD-11',
    entry: ['capability'],
    required: { capability: 'RS-SD-05' },
  },
  CAP: {
    root: 'urlset',
    capability: 'capabilitylist',
    timeRule: 'RS-CAP-16',
    entry: ['capability'],
    required: { capability: 'RS-CAP-08' },
  },
  RL: {
    root: 'urlset',
    capability: 'resourcelist',
    timeRule: 'RS-A-01',
    rootTime: 'at',
    entry: facts,
    required: {},
  },
  RLI: {
    root: 'sitemapindex',
    capability: 'resourcelist',
    timeRule: 'RS-A-02',
    rootTime: 'at',
    entryTime: 'at',
    entry: [],
    required: {},
  },
  RD: {
    root: 'urlset',
    capability: 'resourcedump',
    timeRule: 'RS-A-03',
    rootTime: 'at',
    entryTime: 'at',
    entry: facts,
    required: {},
  },
  RDI: {
    root: 'sitemapindex',
    capability: 'resourcedump',
    timeRule: 'RS-A-04',
    rootTime: 'at',
    entryTime: 'at',
    entry: [],
    required: {},
  },
  RDM: {
    root: 'urlset',
    capability: 'resourcedump-manifest',
    timeRule: 'RS-A-05',
    rootTime: 'at',
    entry: ['path', ...facts],
    required: { path: 'RS-RDM-09' },
  },
  CL: {
    root: 'urlset',
    capability: 'changelist',
    timeRule: 'RS-A-06',
    rootTime: 'from',
    entry: change,
    required: { change: 'RS-CL-11' },
  },
  CLI: {
    root: 'sitemapindex',
    capability: 'changelist',
    timeRule: 'RS-A-07',
    rootTime: 'from',
    entryTime: 'from',
    entryTimeRule: 'RS-CLI-06',
    entry: [],
    required: {},
  },
  CD: {
    root: 'urlset',
    capability: 'changedump',
    timeRule: 'RS-A-08',
    rootTime: 'from',
    entryTime: 'from',
    entryTimeRule: 'RS-CD-07',
    entry: facts,
    required: {},
  },
  CDI: {
    root: 'sitemapindex',
    capability: 'changedump',
    timeRule: 'RS-A-09',
    rootTime: 'from',
    entryTime: 'from',
    entryTimeRule: 'RS-CDI-01',
    entry: [],
    required: {},
  },
  CDM: {
    root: 'urlset',
    capability: 'changedump-manifest',
    timeRule: 'RS-A-10',
    rootTime: 'from',
    entry: ['path', ...change],
    required: { change: 'RS-CDM-08' },
  },
};

export function kindOf(root: string, capability: string | undefined): DocumentKind | undefined {
  for (const [kind, rules] of Object.entries(documentKinds)) {
    if (rules.root === root && rules.capability === capability) return kind as DocumentKind;
  }
  return undefined;
}

/** RS-GEN-04. */
export const capabilities: ReadonlySet<string> = new Set(
  Object.values(documentKinds).map(({ capability }) => capability),
);
