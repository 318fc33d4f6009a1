import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const { bundle } = createRequire(import.meta.url)('../../../src/launcher/bundle.cjs') as {
  bundle(root: string, folder: string): Promise<void>;
};
const root = join(import.meta.dirname, '..', '..', '..');

/** In the path of each file that was compiled. */
export const compiledPlace = /[\\/]rsbridge-compiled-/;

export interface CompiledSource {
  readonly directory: string;
  drop(): Promise<void>;
}

/**
 * The program as `npm run build` makes it, and the sources as files of their own, with the scripts that tests run in processes of theirs, compiled
 * once for the whole run: a process that compiles what it loads takes three times the CPU before it does anything.
 */
export async function compileSource(): Promise<CompiledSource> {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-compiled-'));
  // A test may be somebody else for a moment.
  chmodSync(directory, 0o755);
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  const project = join(root, 'tsconfig.processes.json');
  const modules = promisify(execFile)(process.execPath, [tsc, '-p', project, '--outDir', directory]);
  await Promise.all([modules, bundle(root, join(directory, 'program'))]);
  cpSync(join(root, 'package.json'), join(directory, 'package.json'));
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'), 'junction');
  return { directory, drop: async () => rmSync(directory, { recursive: true, force: true }) };
}
