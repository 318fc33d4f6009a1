import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { type ResourceLimits, Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * From its source as well: a thread does not inherit who understands that.
 * @param given `resourceLimits` hold for it, whatever the process was started with; what that allows is not exceeded
 */
export function startThread(script: URL, given: WorkerOptions): Worker {
  const options = { ...given, resourceLimits: within(given.resourceLimits) };
  // V8 would take this flag (`launcher/start-settings.cjs`) before any limit; the heap of the process is as it is by now.
  setFlagsFromString('--max-semi-space-size=0');
  if (!script.pathname.endsWith('.ts')) return new Worker(script, options);
  // By its place: the thread looks for packages from the working directory.
  const home = dirname(createRequire(import.meta.url).resolve('tsx/package.json'));
  const tsx = join(home, 'dist', 'esm', 'api', 'index.mjs');
  const code = `import(${JSON.stringify(pathToFileURL(tsx).href)}).then(({ register }) => (register(), import(${JSON.stringify(script.href)})))`;
  return new Worker(code, { ...options, eval: true, execArgv: [] });
}

/** Three of these spaces are one generation. */
const spacesOfGeneration = 3;

function within(limits: ResourceLimits = {}): ResourceLimits {
  const space = /--max[-_]semi[-_]space[-_]size=(\d+)/.exec(process.execArgv.join(' '))?.[1];
  const own = limits.maxYoungGenerationSizeMb;
  if (space === undefined || own === undefined) return limits;
  return { ...limits, maxYoungGenerationSizeMb: Math.min(own, spacesOfGeneration * Number(space)) };
}
