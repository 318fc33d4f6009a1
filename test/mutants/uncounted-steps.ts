import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** In place of `countSteps`, which counts in code that was compiled before: the work is done here, where mutants are. */
export async function countSteps(file: string, call: string, ...runs: readonly (readonly unknown[])[]) {
  const { [call]: work } = await import(pathToFileURL(resolve(file)).href);
  return runs.map((given) => ({ result: work(...given), steps: 1 }));
}
