/** Parses the files of config/ for libs/kernel/src/config/prepared-trees.ts, so that no start has to. */
import fs, { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/**
 * Writes `config.json` into a folder: `{ text, tree }` for each file.
 * @param root of the repository.
 */
export function prepareConfig(root, folder) {
  const texts = fs.globSync('config/*.yaml', { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'));
  const prepared = texts.map((text) => ({ text, tree: parse(text) ?? {} }));
  writeFileSync(join(folder, 'config.json'), JSON.stringify(prepared));
}
