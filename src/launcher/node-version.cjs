'use strict';
// No syntax that Node 6 does not know: see rsbridge.cjs.
var needed = require('../../package.json').engines.node.replace(/[^0-9.]/g, '');
var advice = 'Install Node.js 24 from https://nodejs.org/ or with your package manager, and try again.';

/** What to say to a Node that is too old; undefined where it is not. */
exports.complaint = (program, version) => {
  if (!isBefore(version.split('.').map(Number), needed.split('.').map(Number))) return undefined;
  return [
    `${program} needs Node.js ${needed} or later; this is Node.js ${version}.`,
    `${advice} [node-too-old]`,
    '',
  ].join('\n');
};

function isBefore(version, other) {
  return version[0] < other[0] || (version[0] === other[0] && version[1] < other[1]);
}
