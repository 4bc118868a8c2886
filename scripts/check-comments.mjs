/**
 * Checks the first word of comments: a comment that begins with "Of", "As" or "Whose" says nothing without the line below
 * it. A comment is a whole sentence, or a noun phrase that stands by itself.
 *
 * `node scripts/check-comments.mjs [root]` prints one line a fault and ends with 1 when there is one.
 */
import '../bin/require-node.mjs';
import fs, { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));
const FRAGMENT = /(?:\/\*\*|\/\/|^ *\*) (Of|As|Whose|The same|With which|Behind which|Such|These|Those|Its|Theirs) /;

let faults = 0;
for (const file of fs.globSync('{apps,bench,libs,plugins,test,scripts}/**/*.{ts,tsx,mjs,cjs}', { cwd: root })) {
  if (/(^|\/)(node_modules|dist|fixtures)\//.test(file)) continue;
  const text = readFileSync(join(root, file), 'utf8');
  // What a script makes repeats descriptions that stand beside what they describe.
  if (text.startsWith('// Made by scripts/')) continue;
  for (const [index, line] of text.split('\n').entries()) {
    const word = FRAGMENT.exec(line)?.[1];
    if (word === undefined) continue;
    faults++;
    console.error(`${file}:${index + 1}: a comment begins with "${word}"; name what it is about`);
  }
}
process.exitCode = faults > 0 ? 1 : 0;
