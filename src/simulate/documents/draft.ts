/** A document before it is written, so that it can be written wrongly. */
export interface Draft {
  /** Where it is; of a manifest `manifest.xml`. */
  readonly path: string;
  /** What it is meant to be, whatever `md` says. */
  readonly capability: DraftCapability;
  readonly root: 'urlset' | 'sitemapindex';
  readonly md: Attributes;
  readonly links: readonly Attributes[];
  readonly entries: readonly DraftEntry[];
}

export type DraftCapability =
  | 'description'
  | 'capabilitylist'
  | 'resourcelist'
  | 'changelist'
  | 'resourcedump'
  | 'changedump'
  | 'resourcedump-manifest'
  | 'changedump-manifest';

/** In the order in which they are written; undefined: not at all. */
export type Attributes = Readonly<Record<string, string | undefined>>;

export interface DraftEntry {
  /** As it is written, before XML is escaped. */
  readonly loc: string;
  readonly lastmod: string | undefined;
  readonly md: Attributes;
  readonly links: readonly Attributes[];
  /** XML that follows. */
  readonly more: string;
}

/** Whether its entries are resources, not documents. */
export function listsResources({ capability, root }: Pick<Draft, 'capability' | 'root'>): boolean {
  return root === 'urlset' && /list$|manifest$/.test(capability) && capability !== 'capabilitylist';
}

export function tellsChanges({ capability }: Pick<Draft, 'capability'>): boolean {
  return capability.startsWith('change');
}
