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

/** A package of 250 files: loading them takes 100 ms and 14 MB, and one of them takes neither. */
const within = /^@sinclair\/typebox(?:$|\/)/;

/**
 * Writes our own code as few files, all in one folder: what a command does not need is not read, and what it needs is read at once.
 * Packages stay where npm installs them.
 * @param {string} root of the sources
 * @param {string} folder is made
 */
exports.bundle = async (root, folder) => {
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    cwd: root,
    input: entries,
    platform: 'node',
    external: (id, _importer, isResolved) =>
      !isResolved && !/^[./]/.test(id) && !entries.includes(id) && !within.test(id),
  });
  await bundle.write({ dir: folder, entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' });
  await bundle.close();
  copyFileSync(join(root, 'node_modules/@sinclair/typebox/license'), join(folder, 'typebox.license'));
};
