import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Imported by a process before anything else: how late its timers are, once in ten seconds, as a line on stderr. */
const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
setInterval(() => {
  const ms = (nanoseconds: number) => Math.round(nanoseconds / 1e5) / 10;
  process.stderr.write(
    `${JSON.stringify({ loopDelay: { p99: ms(delay.percentile(99)), max: ms(delay.max) } })}\n`,
  );
  delay.reset();
}, 10_000).unref();
