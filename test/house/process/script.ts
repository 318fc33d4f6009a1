import { join, relative } from 'node:path';
import { inject } from 'vitest';

const root = join(import.meta.dirname, '..', '..', '..');

/** What `node` has to run for a file of ours: as it was compiled for this run of the tests. */
export function scriptOf(file: string): string {
  return join(inject('compiled'), relative(root, file).replace(/\.ts$/, '.js'));
}

/** `rsbridge` itself. */
export function binary(): string {
  return join(inject('compiled'), 'program', 'bin.js');
}
