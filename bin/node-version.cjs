/** Which Node the program wants; package.json says it to npm (`engines`). Any Node can read this file. */
'use strict';

/**
 * Whole in itself, since the build copies it into the programs of dist/.
 * @returns what is said on a Node that is too old: which one is wanted, and how to get it; `undefined` on others.
 */
function nodeFault() {
  const majorMin = 24;
  const { node } = process.versions;
  if (Number(node.split('.')[0]) >= majorMin) return undefined;
  return (
    `spandrel: needs Node ${majorMin} or newer, this is ${node}; npm ci brings one on Linux x64, ` +
    'which npm scripts, npx spandrel and node_modules/.bin/node run on; elsewhere install one'
  );
}

module.exports = { nodeFault };
