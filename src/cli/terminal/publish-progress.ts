import type { PublishProgress } from '../../publish/sets/set-part.ts';
import type { Progress } from './progress.ts';

const work = {
  resourceList: { noun: 'resource', deed: 'listed' },
  resourceDump: { noun: 'resource', deed: 'packaged' },
  changeDump: { noun: 'change', deed: 'packaged' },
} as const;

/**
 * Says how the publication of one set after the other goes.
 * @param sets their paths
 */
export function createPublishProgress(progress: Progress, sets: readonly string[]) {
  const noteOf = (set: string) =>
    sets.length > 1 ? `set ${sets.indexOf(set) + 1} of ${sets.length}` : undefined;
  return {
    begin: (set: string) =>
      progress.show('publish', { label: set, done: 0, noun: 'resource', note: noteOf(set) }),
    of:
      (set: string) =>
      ({ document, done, total }: PublishProgress): void =>
        progress.show('publish', { label: set, done, total, ...work[document], note: noteOf(set) }),
    end: () => progress.remove('publish'),
  };
}
