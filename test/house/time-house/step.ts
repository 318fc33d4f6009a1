import fc from 'fast-check';
import type { MementosConfig } from '../../../src/core/config/config.ts';
import { collections } from './repository.ts';

/** What happens in a house, one thing after the other. */
export type Step =
  | { readonly kind: 'wait'; readonly seconds: number }
  | { readonly kind: 'put'; readonly put: Put }
  | { readonly kind: 'delete'; readonly record: string; readonly told: boolean }
  | { readonly kind: 'harvest'; readonly mode: 'full' | 'incremental'; readonly pageSeconds: number }
  | { readonly kind: 'copy'; readonly record: string; readonly content: string; readonly dated: boolean }
  | { readonly kind: 'publish'; readonly what: 'lists' | 'all' | 'close' }
  | { readonly kind: 'look' }
  | { readonly kind: 'tidy' };

export interface Put {
  readonly record: string;
  readonly text: string;
  /** Of the other format; undefined: it is not in that. */
  readonly other: string | undefined;
  readonly collections: readonly string[];
  readonly hasFile: boolean;
  readonly datestamp: 'now' | 'old' | 'future' | 'none';
}

export interface History {
  readonly keep: MementosConfig['keep'];
  readonly ofDeleted: boolean;
  readonly separately: boolean;
  readonly patches: boolean;
  readonly rounds: readonly (readonly Step[])[];
  /** Which of the moments is exported. */
  readonly exported: number;
}

const record = fc.constantFrom('1', '2', '3', '4');
/** Some bytes come again; some are large, and tell little that is new. */
const text = fc.oneof(
  fc.constantFrom('a', 'b'),
  fc.integer({ min: 0, max: 9 }).map((edit) => `long ${edit}`),
);

const waits = [0, 0, 1, 1, 1, 2, 600, 4000, 100_000, -1, -1, -2, -90_000];

const wait = fc.record({ kind: fc.constant('wait' as const), seconds: fc.constantFrom(...waits) });

const edit: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('put' as const),
      put: fc.record({
        record,
        text,
        other: fc.option(text, { nil: undefined }),
        collections: fc.subarray([...collections]),
        hasFile: fc.boolean(),
        datestamp: fc.constantFrom('now', 'now', 'old', 'future', 'none'),
      }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), record, told: fc.boolean() }) },
);

const harvest = fc.record({
  kind: fc.constant('harvest' as const),
  mode: fc.constantFrom('incremental' as const, 'incremental' as const, 'full' as const),
  pageSeconds: fc.constantFrom(0, 0, 1, 3),
});

const afterwards: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('copy' as const),
      record,
      content: fc.constantFrom('one', 'two', 'three'),
      dated: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('publish' as const),
      what: fc.constantFrom('lists', 'all', 'close'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('look' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('tidy' as const) }) },
  { weight: 2, arbitrary: wait },
);

/** Time passes, or not; something is edited and harvested; the house goes on. */
const round = fc
  .tuple(wait, fc.array(edit, { maxLength: 4 }), harvest, fc.array(afterwards, { maxLength: 3 }))
  .map(([before, edits, run, after]): readonly Step[] => [before, ...edits, run, ...after]);

const keep: fc.Arbitrary<History['keep']> = fc.oneof(
  { weight: 3, arbitrary: fc.constant('all' as const) },
  { weight: 1, arbitrary: fc.record({ last: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ days: fc.integer({ min: 1, max: 3 }) }) },
);

export const history: fc.Arbitrary<History> = fc.record({
  keep,
  ofDeleted: fc.constantFrom(true, true, false),
  separately: fc.constantFrom(false, false, true),
  patches: fc.boolean(),
  rounds: fc.array(round, { minLength: 1, maxLength: 9, size: 'max' }),
  exported: fc.nat(20),
});
