import { relative } from 'node:path';
import { commonTokens, declareFactoryPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { strykerPlugins as vitestPlugins } from '@stryker-mutator/vitest-runner';
import { isDrawn } from './draw.mjs';

const [{ factory }] = vitestPlugins;
const draw = JSON.parse(process.env.MUTANTS_DRAW);

/** Stryker tries every mutant, and a room has thousands: those that were not drawn are passed over. */
function drawnMutantsRunner(injector) {
  const runner = factory(injector);
  const mutantRun = runner.mutantRun.bind(runner);
  runner.mutantRun = async (options) => {
    const fileName = relative(process.cwd(), options.sandboxFileName).replaceAll('\\', '/');
    return isDrawn({ ...options.activeMutant, fileName }, draw)
      ? mutantRun(options)
      : { status: 'error', errorMessage: 'not drawn' };
  };
  return runner;
}
drawnMutantsRunner.inject = [commonTokens.injector];

export const strykerPlugins = [
  declareFactoryPlugin(PluginKind.TestRunner, 'drawn-mutants', drawnMutantsRunner),
];
