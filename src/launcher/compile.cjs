'use strict';
const { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { hashSources, haveChanged, stampOf } = require('./sources.cjs');

const root = join(__dirname, '..', '..');
const dist = join(root, 'dist');

if (!process.argv.includes('--if-changed') || haveChanged(root)) void compile();

/** Aside: a build that fails leaves the one before, and no file of sources that are gone stays. */
async function compile() {
  // Before, so that what is edited meanwhile counts as changed.
  const hash = hashSources(root);
  mkdirSync(dist, { recursive: true });
  const aside = mkdtempSync(join(dist, '.build-'));
  try {
    const { bundle } = require('./bundle.cjs');
    await bundle(root, aside);
    rmSync(stampOf(root), { force: true });
    rmSync(join(dist, 'program'), { recursive: true, force: true });
    renameSync(aside, join(dist, 'program'));
    writeFileSync(stampOf(root), hash);
  } catch (error) {
    process.stderr.write(complaint(error));
    process.exitCode = 1;
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

function complaint(error) {
  if (error.code === 'ERR_MODULE_NOT_FOUND')
    return `cannot build: ${error.message}\nRun \`npm ci\` without \`--omit=dev\`, or copy \`dist\` from a build.\n`;
  return `cannot build: ${error.message}\n`;
}
