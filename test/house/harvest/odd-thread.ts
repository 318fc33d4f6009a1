import { getHeapSpaceStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import { isReady, type ThreadMessage } from '../../../src/core/threads.ts';

/** A thread that answers with what it hears, unless it is told to fail. */
const kept: number[][] = [];

parentPort?.on('message', ({ job, what }: ThreadMessage) => {
  if (what === 'throw') throw new Error('an odd failure');
  if (what === 'reject') void Promise.reject(new Error('an odd rejection'));
  if (what === 'warn') process.emitWarning('an odd warning');
  if (what === 'leave') process.exit(3);
  while (what === 'fill') kept.push(Array.from({ length: 100_000 }, (_, index) => index + kept.length));
  parentPort?.postMessage({ job, what: what === 'churn' ? churn() : what });
});
parentPort?.postMessage(isReady);

/** Objects that live for a while. @returns octets of the space for young objects, when it was largest */
function churn(): number {
  const living: object[] = [];
  let largest = 0;
  for (let count = 0; count < 2_000_000; count += 1) {
    living[count % 50_000] = { count };
    if (count % 10_000 > 0) continue;
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    largest = Math.max(largest, young?.space_size ?? 0);
  }
  return largest;
}
