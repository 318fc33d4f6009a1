import { join } from 'node:path';

/** The environment of a process whose clock is so far ahead of the others; below 0: behind them. */
export function clockAhead(milliseconds: number): Record<string, string> {
  if (milliseconds === 0) return {};
  const shim = join(import.meta.dirname, 'clock-ahead.cjs');
  return { NODE_OPTIONS: `--require=${shim}`, CLOCK_AHEAD_MS: String(milliseconds) };
}
