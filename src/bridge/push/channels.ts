import { type Channel, channelAt, channelKinds, channelOf } from '../../core/push/channels.ts';
import { hubsOf } from '../../core/push/hubs.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { Bridge } from '../bridge.ts';

/** A channel that something is told on, and its set. */
export interface OpenChannel extends Channel {
  readonly resources: ResourceSet;
}

/**
 * Channels of the sets that are published, by path: all of those that can be subscribed to, and those that a webhook was added for.
 * @param subscribed paths of topics that have subscribers
 */
export function openChannels(
  { config, sets }: Pick<Bridge, 'config' | 'sets'>,
  isPublished: (set: string) => boolean,
  subscribed: ReadonlySet<string>,
): ReadonlyMap<string, OpenChannel> {
  const open = new Map<string, OpenChannel>();
  for (const resources of sets()) {
    if (!isPublished(resources.path)) continue;
    const isOffered = hubsOf(config, resources).length > 0;
    for (const kind of channelKinds) {
      const channel = channelOf(resources.path, kind);
      if (isOffered || subscribed.has(channel.path)) open.set(channel.path, { ...channel, resources });
    }
  }
  return open;
}

/** The set that a topic tells of, as it is configured now. */
export function setOfTopic({ sets }: Pick<Bridge, 'sets'>, topic: string): ResourceSet | undefined {
  const channel = channelAt(topic);
  return channel && sets().find(({ path }) => path === channel.set);
}
