/** Of many values, in their own unit; undefined where there are none. */
export function percentiles(values: readonly number[]): object {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), most: sorted.at(-1) };
}

export function rounded(value: number, digits = 1): number {
  return Number(value.toFixed(digits));
}

const classes = [
  ['fewer than 100', 100],
  ['fewer than 1,000', 1000],
  ['1,000 and more', Number.POSITIVE_INFINITY],
] as const;

/** @param values each with the size of its repository */
export function bySize(values: readonly (readonly [size: number, value: number])[]): object {
  const named = classes.map(([name, end], index) => {
    const start = classes[index - 1]?.[1] ?? 0;
    return [
      name,
      percentiles(values.flatMap(([size, value]) => (size >= start && size < end ? [value] : []))),
    ];
  });
  return Object.fromEntries(named);
}
