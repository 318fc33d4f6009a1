'use strict';
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');
const { setFlagsFromString } = require('node:v8');
const { allocatorSettings, heapFlags, isForStart, poolFlags } = require('./start-settings.cjs');

const root = join(__dirname, '..', '..');
const program = join(root, 'dist', 'program', 'bin.js');

setHeapFlags();
if (isBuilt()) void import(pathToFileURL(program).href);

/** What counts only at the start takes starting anew: the same process, with another program in it. */
function setHeapFlags() {
  const { execArgv, execve, env, execPath, argv, platform, versions } = process;
  const args = argv.slice(2);
  const given = [...execArgv, env.NODE_OPTIONS].join(' ');
  const flags = heapFlags(versions.node, given, args);
  const pool = poolFlags(given, args);
  const settings = platform === 'linux' ? allocatorSettings(env, args) : {};
  const isAnew = flags.some(isForStart) || pool.length > 0 || Object.keys(settings).length > 0;
  if (isAnew && execve && !process.send) {
    try {
      const anew = [execPath, ...execArgv, ...flags, ...pool, ...argv.slice(1)];
      execve(execPath, anew, { ...env, ...settings });
    } catch {
      // Not on this system: it works without, and takes more memory.
    }
  }
  for (const flag of flags) setFlagsFromString(flag);
}

/** In a clone the sources are there, and may be newer than what is run. */
function isBuilt() {
  const sources = join(__dirname, 'sources.cjs');
  const isClone = existsSync(sources);
  if (!existsSync(program)) {
    const advice = isClone ? 'Run `npm ci`, then `npm run build`, in this folder.' : 'Install it again.';
    process.stderr.write(`rsbridge is not built: ${program} does not exist.\n${advice} [not-built]\n`);
    process.exitCode = 2;
    return false;
  }
  if (isClone && require(sources).haveChanged(root))
    process.stderr.write(
      'rsbridge: the sources have changed since the last build, and what runs now is older. `npm run build` builds them.\n',
    );
  return true;
}
