'use strict';
const { copyFileSync } = require('node:fs');
const { join } = require('node:path');

/** What is started: the program, and the threads that find their script beside the file they are in. */
const entries = [
  'src/cli/bin.ts',
  'src/harvest/files/mirror/content-thread-worker.ts',
  'src/sync/unpacking/unpacking-thread.ts',
  'adapters/oai-pmh/threads/reading-worker.ts',
];

/** These stay where npm installs them. The others become part of the program: TypeBox is 250 files, which take 100 ms and 14 MB to load. */
const { dependencies, optionalDependencies } = require('../../package.json');
const outside = Object.keys({ ...dependencies, ...optionalDependencies });

/**
 * Writes our own code as few files, all in one folder: what a command does not need is not read, and what it needs is read at once.
 * @param {string} root of the sources
 * @param {string} folder is made
 */
exports.bundle = async (root, folder) => {
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    cwd: root,
    input: entries,
    platform: 'node',
    external: (id) => outside.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [{ name: 'ascii', renderChunk: toAscii }],
  });
  await bundle.write({
    dir: folder,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    minify: false,
  });
  await bundle.close();
  copyFileSync(join(root, 'node_modules/@sinclair/typebox/license'), join(folder, 'typebox.license'));
};

/** One character beyond Latin-1, in a comment or a Japanese word, and V8 keeps two octets for each of the whole file. */
function toAscii(code) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are the range.
  return code.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
