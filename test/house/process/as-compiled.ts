import { dirname, join, relative, resolve } from 'node:path';
import type { Plugin } from 'vitest/config';
import type { TestProject } from 'vitest/node';
import { compiledPlace } from './compiled.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const ours = /^(?:src|adapters|migrations)[\\/].*\.ts$/;

/**
 * What tests import of ours is what was compiled for this run, loaded by Node itself: nothing is transformed for tests once more, a worker has it
 * in a second instead of three, and threads start without a compiler, as those of the program do. Errors name the lines of the sources.
 * Whoever watches tests has the sources themselves.
 */
export function asCompiled(): Plugin {
  let project: TestProject | undefined;
  return {
    name: 'as-compiled',
    enforce: 'pre',
    config: () => ({ test: { server: { deps: { external: [compiledPlace] } } } }),
    configureVitest(context) {
      if (!context.vitest.config.watch) ({ project } = context);
    },
    resolveId(id, importer) {
      const directory = project?.getProvidedContext().compiled;
      if (directory === undefined || importer === undefined || !id.startsWith('.')) return undefined;
      const path = relative(root, resolve(dirname(importer), id));
      return ours.test(path) ? join(directory, path.replace(/\.ts$/, '.js')) : undefined;
    },
  };
}
