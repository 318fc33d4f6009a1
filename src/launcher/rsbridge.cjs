#!/usr/bin/env node
'use strict';
// Node 6 can read this file and the one it asks, and nothing else is loaded before the version is known.
var nodeVersion = require('./node-version.cjs');

var complaint = nodeVersion.complaint('rsbridge', process.versions.node);
if (complaint === undefined) {
  require('./start.cjs');
} else {
  process.stderr.write(complaint);
  process.exitCode = 2;
}
