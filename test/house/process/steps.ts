import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { inject } from 'vitest';

/** In a thread of its own, where nothing has been compiled before it is counted. */
const counting = `
const { parentPort, workerData: { url, call, runs, root } } = require('node:worker_threads');
const { Session } = require('node:inspector/promises');
(async () => {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const { [call]: work } = await import(url);
  const counted = [];
  for (const given of runs) {
    await session.post('Profiler.takePreciseCoverage');
    const result = work(...given);
    const coverage = await session.post('Profiler.takePreciseCoverage');
    const ours = coverage.result.filter((script) => script.url.startsWith(root));
    const counts = ours.flatMap(({ functions }) => functions).flatMap(({ ranges }) => ranges);
    counted.push({ result, steps: counts.reduce((sum, { count }) => sum + count, 0) });
  }
  parentPort.postMessage(counted);
})();
`;

export interface Counted<Result> {
  readonly result: Result;
  readonly steps: number;
}

/**
 * Calls a function of ours with each of the given arguments, and counts how many blocks of our code that ran through:
 * a measure of what it costs that is the same on every machine, however busy that is.
 * @param file as `src/core/segment.ts`; it is called as it was compiled for this run of the tests
 */
export function countSteps<Result>(
  file: string,
  call: string,
  ...runs: readonly (readonly unknown[])[]
): Promise<readonly Counted<Result>[]> {
  const root = pathToFileURL(join(inject('compiled'), '/')).href;
  const url = new URL(file.replace(/\.ts$/, '.js'), root).href;
  const worker = new Worker(counting, { eval: true, workerData: { url, call, runs, root } });
  return new Promise((resolve, reject) => {
    worker.once('message', resolve).once('error', reject);
    worker.once('exit', () => reject(new Error(`${call} of ${file} was not counted`)));
  });
}
