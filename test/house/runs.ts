/**
 * How often a property is tried. `npm test` tries a few cases of each, of which CI and whoever mends something
 * try many more: `npm run test:long`, or `TEST_RUNS=20 npm run test:long` for twenty times as many.
 * @param usual what `TEST_RUNS` multiplies, where `npm test` has no time for that many
 */
export function runs(few: number, usual = few): number {
  const times = Number(process.env.TEST_RUNS ?? 1);
  return times <= 1 ? few : Math.round(usual * times);
}
