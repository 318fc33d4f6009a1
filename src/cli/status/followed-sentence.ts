import { type FollowedSource, followedView } from '../../core/following/followed-source.ts';
import { printable } from '../terminal/terminal-text.ts';

/** One line for people. */
export function followedSentence(one: FollowedSource): string {
  const { source, hub, state, reason, leaseUntil, receivedAt } = followedView(one);
  const why = reason === undefined ? '' : ` (${reason})`;
  const last = receivedAt === undefined ? 'nothing yet' : `the last at ${receivedAt}`;
  const until = leaseUntil === undefined ? '' : `, until ${leaseUntil}`;
  const said =
    hub === undefined
      ? `polled${why}`
      : state === 'active'
        ? `told of changes by ${hub}${until}; ${last}`
        : `not told of changes by ${hub} yet${why}; it is polled`;
  return `${source}: ${printable(said)}`;
}
