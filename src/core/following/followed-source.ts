import { toIso } from '../datetime.ts';

/** A Source that is followed, and how the bridge learns of its changes. Moments are milliseconds by the clock of the database. */
export interface FollowedSource {
  readonly source: string;
  /** Undefined: it names none. */
  readonly hub: string | undefined;
  /**
   * `polled`: by its schedule alone; `active`: its hub tells, too; `wanted`: the hub is to be asked; `asked`: it is to confirm; `ending`: it
   * is to be told that it is over.
   */
  readonly state: 'polled' | 'wanted' | 'asked' | 'active' | 'ending';
  /** Why it is not `active`. */
  readonly reason: string | undefined;
  readonly leaseUntil: number | undefined;
  /** When the last notification came. */
  readonly receivedAt: number | undefined;
  /** Notifications since the subscription was made. */
  readonly received: number;
}

/** As programs are told of it: moments as documents have them, of the hub its host. */
export function followedView({ hub, leaseUntil, receivedAt, ...rest }: FollowedSource) {
  const host = hub === undefined ? undefined : new URL(hub).host;
  return { ...rest, hub: host, leaseUntil: iso(leaseUntil), receivedAt: iso(receivedAt) };
}

function iso(moment: number | undefined): string | undefined {
  return moment === undefined ? undefined : toIso(new Date(moment));
}
