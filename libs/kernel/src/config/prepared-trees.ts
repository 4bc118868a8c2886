import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE } from '../package-root.js';

/** What the build writes (scripts/prepare-config.mjs): each file of config/ with what it says. */
const PREPARED = join(PACKAGE.root, 'dist', 'config.json');

/**
 * What a file says that the build has parsed already. A program and each of its threads read config/default.yaml when they start,
 * and yaml took 60 ms of the 950 ms of CPU that `spandrel serve` needs to start.
 * @param text the whole file: one that was edited since is not found.
 * @returns a tree of the caller's own; `undefined` for any other file, and where nothing is built.
 */
export function preparedTree(text: string): unknown {
  let prepared: { text: string; tree: unknown }[];
  try {
    prepared = JSON.parse(readFileSync(PREPARED, 'utf8')) as typeof prepared;
  } catch {
    return undefined;
  }
  return prepared.find((file) => file.text === text)?.tree;
}
