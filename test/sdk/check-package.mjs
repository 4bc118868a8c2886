/**
 * Looks for what is wrong with a packed package, as its users' tools resolve it: `check-package.mjs TARBALL` prints a list of
 * problems as JSON, of `@arethetypeswrong/core` (types by each kind of resolution) and of `publint` (its manifest and files).
 */
import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const tarball = readFileSync(process.argv[2]);
const types = await checkPackage(createPackageFromTarballData(new Uint8Array(tarball)));
const { buffer, byteOffset, byteLength } = tarball;
const { messages, pkg } = await publint({
  pack: { tarball: buffer.slice(byteOffset, byteOffset + byteLength) },
  strict: true,
});
const problems = [
  ...(types.types === false ? ['it has no types'] : types.problems.map((problem) => JSON.stringify(problem))),
  ...messages.map((message) => formatMessage(message, pkg, { color: false })),
];
process.stdout.write(JSON.stringify(problems));
