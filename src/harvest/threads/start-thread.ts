import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** From its source as well: a thread does not inherit who understands that. */
export function startThread(script: URL, options: WorkerOptions): Worker {
  if (!script.pathname.endsWith('.ts')) return new Worker(script, options);
  // By its place: the thread looks for packages from the working directory.
  const home = dirname(createRequire(import.meta.url).resolve('tsx/package.json'));
  const tsx = join(home, 'dist', 'esm', 'api', 'index.mjs');
  const code = `import(${JSON.stringify(pathToFileURL(tsx).href)}).then(({ register }) => (register(), import(${JSON.stringify(script.href)})))`;
  return new Worker(code, { ...options, eval: true, execArgv: [] });
}
