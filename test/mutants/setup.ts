import type { TestProject } from 'vitest/node';
import { compileSource } from '../house/process/compiled.ts';

/** What rooms without a database need of the whole setup: the processes in which steps are counted. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const compiled = await compileSource();
  project.provide('compiled', compiled.directory);
  return () => compiled.drop();
}
