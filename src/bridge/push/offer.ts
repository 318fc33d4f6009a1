import type { Config } from '../../core/config/config.ts';
import { hubsOf } from '../../core/push/hubs.ts';
import type { PushOffer } from '../../server/deps.ts';

/** What strangers may ask for. */
export function pushOffer(config: Config): PushOffer {
  const { hub, leaseDays, subscriptions, subscriptionsPerHost } = config.push;
  return {
    hub,
    leaseSeconds: Math.round(leaseDays * 86_400),
    limits: {
      // Each that is to be confirmed makes us call somebody.
      ...{ intentsPerClient: 50, intentsPerHost: 10, intents: 1000 },
      ...{ subscriptionsPerHost, subscriptionsPerTopic: subscriptions, subscriptions },
    },
    hubsOf: (set) => hubsOf(config, set),
  };
}
