import type { Cost } from './commands.ts';

/** What measuring varies by, in milliseconds. */
const floors: Readonly<Record<string, number>> = {
  'incremental harvest of 100 changes': 40,
  'its publication': 40,
  retention: 10,
  'start of the process': 150,
  status: 150,
  takedown: 150,
};
const floorOfRequests = 0.8;
const allowed = 1.2;

/** The costs of each size beside each other, and which of them grow. */
export function judge(costs: ReadonlyMap<number, readonly Cost[]>): {
  readonly table: string;
  readonly grows: readonly string[];
} {
  const sizes = [...costs.keys()].sort((a, b) => a - b);
  const [smallest = 0, largest] = [sizes[0], sizes.at(-1) ?? 0];
  const costOf = (size: number, what: string) =>
    costs.get(size)?.find((cost) => cost.what === what)?.cpu ?? 0;
  const grows: string[] = [];
  const rows = (costs.get(smallest) ?? []).map(({ what, cpu: least }) => {
    const most = Math.max(...sizes.map((size) => costOf(size, what)));
    const isGrown = most > allowed * least && most - least > (floors[what] ?? floorOfRequests);
    if (isGrown) grows.push(what);
    const values = sizes.map((size) => costOf(size, what).toFixed(most < 20 ? 2 : 0));
    return [what, ...values, (costOf(largest, what) / least).toFixed(2), isGrown ? 'grows' : ''];
  });
  const head = ['', ...sizes.map((size) => size.toLocaleString('en')), 'ratio', ''];
  return { table: [head, ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n'), grows };
}
