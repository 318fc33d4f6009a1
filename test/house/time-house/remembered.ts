import type { History, Step } from './step.ts';

const put = (text: string): Step => ({
  kind: 'put',
  put: { record: '1', text, other: undefined, collections: [], hasFile: false, datestamp: 'now' },
});
const wait = (seconds: number): Step => ({ kind: 'wait', seconds });
const harvest: Step = { kind: 'harvest', mode: 'incremental', pageSeconds: 0 };
const look: Step = { kind: 'look' };

/** Histories that are to be lived through whatever the seed. */
export const remembered: [History][] = [
  // Once its second was over everything could be seen of it; then the clock is set back into it.
  [
    {
      keep: 'all',
      ofDeleted: true,
      separately: false,
      patches: false,
      rounds: [
        [put('a'), harvest, wait(60), put('b'), harvest, wait(1), look],
        [wait(-1), put('a'), harvest, wait(1), look],
      ],
      exported: 0,
    },
  ],
];
