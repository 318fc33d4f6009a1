/** What the specifications of Change and of Framework Notification say alike of their channels, by the rules of each. */
export interface ChannelRules {
  /** That it is named, with its hub. */
  readonly named: string;
  /** That a set has one of its own. */
  readonly own: string;
  /** Its root and capability. */
  readonly root: string;
  /** What an entry has. */
  readonly entry: string;
}

export const channelRules: Readonly<Record<string, ChannelRules>> = {
  'change-notification': { named: 'CN-11', own: 'CN-09', root: 'CN-01', entry: 'CN-06' },
  'framework-notification': { named: 'FN-10', own: 'FN-08', root: 'FN-01', entry: 'FN-03' },
};

/** FN-04 and FN-07: of which documents a Framework Notification tells, and what may happen to them. */
export const toldDocuments: Readonly<Record<string, readonly string[]>> = {
  resourcelist: ['created', 'updated'],
  resourcedump: ['created'],
  changelist: ['created', 'updated'],
  changedump: ['created', 'updated'],
  capabilitylist: ['created', 'updated', 'deleted'],
  description: ['created', 'updated', 'deleted'],
  ...Object.fromEntries(
    ['resourcelist', 'resourcedump', 'changelist', 'changedump'].map((capability) => [
      `${capability}-archive`,
      ['created', 'updated', 'deleted'],
    ]),
  ),
};

export const changeKinds: readonly string[] = ['created', 'updated', 'deleted'];
