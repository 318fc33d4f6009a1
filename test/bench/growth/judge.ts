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
  const grows: string[] = [];
  // There is no index of a small Resource List: the largest repository has whatever there is.
  const rows = (costs.get(sizes.at(-1) ?? 0) ?? []).map(({ what, cpu: last }) => {
    const all = sizes.map((size) => costs.get(size)?.find((cost) => cost.what === what)?.cpu);
    const known = all.filter((cpu) => cpu !== undefined);
    const [least = last, most] = [known[0], Math.max(...known)];
    const isGrown = most > allowed * least && most - least > (floors[what] ?? floorOfRequests);
    if (isGrown) grows.push(what);
    const values = all.map((cpu) => cpu?.toFixed(most < 20 ? 2 : 0) ?? '');
    return [what, ...values, (last / least).toFixed(2), isGrown ? 'grows' : ''];
  });
  const head = ['', ...sizes.map((size) => size.toLocaleString('en')), 'ratio', ''];
  return { table: [head, ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n'), grows };
}
