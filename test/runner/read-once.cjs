/**
 * Reads the file of a module once for all test files of a worker, as long as it stays as it is on the disk. Jest keeps what
 * it reads for one test file, and reads and decodes the bundles of packages, megabytes, again for the next one.
 *
 * Jest reads by `readFileSync` of `graceful-fs`, which loading this file replaces.
 */
const fs = require('graceful-fs');
const { readFileSync, statSync } = fs;

const MODULE = /\.(ts|js|mjs|cjs)$/;
const known = new Map();

fs.readFileSync = (path, ...options) => {
  if (options.length > 0 || typeof path !== 'string' || !MODULE.test(path)) return readFileSync(path, ...options);
  const { mtimeMs, size } = statSync(path);
  let file = known.get(path);
  if (file?.mtimeMs !== mtimeMs || file.size !== size) known.set(path, (file = { mtimeMs, size, bytes: read(path) }));
  return file.bytes;
};

/** @returns the bytes of a file, which are decoded once however often they are asked for their text. */
function read(path) {
  const bytes = readFileSync(path);
  let text;
  bytes.toString = (...form) =>
    form.length > 0 ? Buffer.prototype.toString.apply(bytes, form) : (text ??= bytes.toString('utf8'));
  return bytes;
}
