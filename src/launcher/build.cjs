'use strict';
// `node src/launcher/build.cjs [--if-changed]`. No syntax that Node 6 does not know: `npm ci` runs this with whatever Node there is.
var nodeVersion = require('./node-version.cjs');

var complaint = nodeVersion.complaint('resourcesync-bridge', process.versions.node);
if (complaint === undefined) {
  require('./compile.cjs');
} else {
  process.stderr.write(complaint);
  process.exitCode = 2;
}
