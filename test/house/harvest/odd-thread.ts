import { parentPort } from 'node:worker_threads';
import type { ThreadMessage } from '../../../src/core/threads.ts';

/** A thread that answers with what it hears, unless it is told to fail. */
const kept: number[][] = [];

parentPort?.on('message', ({ job, what }: ThreadMessage) => {
  if (what === 'throw') throw new Error('an odd failure');
  if (what === 'reject') void Promise.reject(new Error('an odd rejection'));
  if (what === 'warn') process.emitWarning('an odd warning');
  if (what === 'leave') process.exit(3);
  while (what === 'fill') kept.push(Array.from({ length: 100_000 }, (_, index) => index + kept.length));
  parentPort?.postMessage({ job, what });
});
