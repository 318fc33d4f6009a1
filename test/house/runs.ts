/**
 * How often a property is tried. `npm test` tries a few cases of each, of which CI and whoever mends something
 * try many more: `npm run test:long`, or `TEST_RUNS=20 npm run test:long` for twenty times as many.
 */
export function runs(few: number): number {
  return Math.max(1, Math.round(few * Number(process.env.TEST_RUNS ?? 1)));
}
