'use strict';
const { spawnSync } = require('node:child_process');
const { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { compiled, hashSources, haveChanged, stampOf } = require('./sources.cjs');

const root = join(__dirname, '..', '..');
const dist = join(root, 'dist');

if (!process.argv.includes('--if-changed') || haveChanged(root)) process.exitCode = compile();

/** Compiles aside: a build that fails leaves the one before, and no file of sources that are gone stays. */
function compile() {
  const compiler = findCompiler();
  if (compiler === undefined) {
    process.stderr.write(
      'cannot build: TypeScript is not installed. Run `npm ci` without `--omit=dev`, or copy `dist` from a build.\n',
    );
    return 1;
  }
  // Before, so that what is edited meanwhile counts as changed.
  const hash = hashSources(root);
  mkdirSync(dist, { recursive: true });
  const aside = mkdtempSync(join(dist, '.build-'));
  try {
    const args = [compiler, '-p', join(root, 'tsconfig.build.json'), '--outDir', aside];
    const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
    if (status !== 0) return 1;
    rmSync(stampOf(root), { force: true });
    for (const room of compiled) {
      rmSync(join(dist, room), { recursive: true, force: true });
      renameSync(join(aside, room), join(dist, room));
    }
    writeFileSync(stampOf(root), hash);
    return 0;
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

function findCompiler() {
  try {
    const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');
    return existsSync(compiler) ? compiler : undefined;
  } catch {
    return undefined;
  }
}
