'use strict';
const { createHash } = require('node:crypto');
const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

/** What the program is made of. Times of files say nothing: `git checkout` and copying change them. */
const rooms = ['src', 'adapters', 'migrations'];
const settings = ['package-lock.json', 'src/launcher/bundle.cjs'];

exports.stampOf = (root) => join(root, 'dist', 'sources.sha256');

/** @returns {string} one hash of the names and contents of all of them */
exports.hashSources = (root) => {
  const hash = createHash('sha256');
  const files = rooms.flatMap((room) =>
    readdirSync(join(root, room), { recursive: true })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(room, file)),
  );
  for (const file of [...settings, ...files].sort()) {
    const content = readFileSync(join(root, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
};

/** Whether they are others than those of the last build. */
exports.haveChanged = (root) => {
  try {
    return readFileSync(exports.stampOf(root), 'utf8') !== exports.hashSources(root);
  } catch {
    return true;
  }
};
