/**
 * A set tells of itself on two channels (CN-09, CN-10, FN-08): of its resources, and of its documents. Each is a document below
 * the set, by whose address it is subscribed to.
 */
export type ChannelKind = 'change-notification' | 'framework-notification';

export interface Channel {
  readonly kind: ChannelKind;
  /** The path of the set. */
  readonly set: string;
  /** Below `baseUrl`. */
  readonly path: string;
}

export const channelKinds: readonly ChannelKind[] = ['change-notification', 'framework-notification'];

export function channelOf(set: string, kind: ChannelKind): Channel {
  return { kind, set, path: `${set}/${kind}.xml` };
}

/** @returns undefined for what is no channel's */
export function channelAt(path: string): Channel | undefined {
  const [, set = '', kind] = /^(.+)\/(change-notification|framework-notification)\.xml$/.exec(path) ?? [];
  return kind === undefined ? undefined : channelOf(set, kind as ChannelKind);
}

/** WS-14: in one header; NT-03: with the Capability List. */
export function channelLinks({
  topic,
  hubs,
  capabilityList,
}: {
  readonly topic: string;
  readonly hubs: readonly string[];
  readonly capabilityList: string;
}): string {
  return [
    ...hubs.map((hub) => `<${hub}>; rel="hub"`),
    `<${topic}>; rel="self"`,
    `<${capabilityList}>; rel="resourcesync"`,
  ].join(', ');
}
