import { Writable } from 'node:stream';
import { main } from '../../../src/cli/main.ts';
import { peakRss, print } from './processes.ts';

/** One run of `rsbridge sync` with these arguments, in a process of its own: seconds, processor time, peak and summary. */
let told = '';
const stdout = new Writable({
  write(chunk, _encoding, done) {
    told += String(chunk);
    done();
  },
});
const never = new AbortController().signal;
const startedAt = performance.now();
const io = { stdout, stderr: process.stderr, env: {}, cwd: process.cwd(), stop: never, abort: never };
const exitCode = await main(['sync', ...process.argv.slice(2), '--json'], io);
const { user, system } = process.cpuUsage();
const seconds = Number(((performance.now() - startedAt) / 1000).toFixed(2));
const { summary } = JSON.parse(told) as { summary: Record<string, unknown> };
const { ways, read, copied, packages, held, notes } = summary;
const cpuSeconds = Number(((user + system) / 1e6).toFixed(2));
print({ seconds, cpuSeconds, peakMB: peakRss(), exitCode, ways, read, copied, packages, held, notes });
