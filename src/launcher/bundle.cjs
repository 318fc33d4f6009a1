'use strict';
const { readFileSync, readdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

/** What is started: the program, and the threads that find their script beside the file they are in. */
const entries = [
  'src/cli/bin.ts',
  'src/harvest/files/mirror/content-thread-worker.ts',
  'src/sync/unpacking/unpacking-thread.ts',
  'adapters/oai-pmh/threads/reading-worker.ts',
];

/**
 * These become part of the program, with what they need, and so does TypeBox: they are 700 files, and to find and load them one by one was
 * half of what a short command cost. Whatever reads from the network stays where npm installs it: its repairs arrive without a release of ours.
 */
const within = ['commander', 'csv-parse', 'knex', 'node-cron', 'pino', 'prom-client', 'yaml'];
const { dependencies, optionalDependencies } = require('../../package.json');
const installed = Object.keys({ ...dependencies, ...optionalDependencies });
/** Two of them are drivers that Knex asks for by itself, and we have none of. */
const outside = [...installed.filter((name) => !within.includes(name)), 'better-sqlite3', 'sqlite3'];
const ourDialects = ['./better-sqlite3', './postgres'];

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
    plugins: [
      { name: 'dialects', resolveId: leaveOtherDialects },
      { name: 'ascii', renderChunk: toAscii },
    ],
  });
  const { output } = await bundle.write({
    dir: folder,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    minify: false,
  });
  await bundle.close();
  writeFileSync(join(folder, 'licenses.txt'), licensesOf(output));
};

/** Of Knex: the others would ask for drivers of theirs. */
function leaveOtherDialects(id, importer) {
  const isDialect =
    importer?.replaceAll('\\', '/').endsWith('/knex/lib/dialects/index.js') && id.startsWith('./');
  return isDialect && !ourDialects.includes(id) ? { id, external: true } : undefined;
}

/** One character beyond Latin-1, in a comment or a Japanese word, and V8 keeps two octets for each of the whole file. */
function toAscii(code) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are the range.
  return code.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Whose code became part of the program, and by which license. */
function licensesOf(output) {
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  const packages = modules.flatMap(
    (id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id) ?? [],
  );
  return [...new Set(packages)].sort().map(licenseOf).join('\n\n');
}

function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  return `== ${name} ${version}, ${license}\n\n${file ? readFileSync(join(folder, file), 'utf8').trim() : 'It has no text of it.'}\n`;
}
