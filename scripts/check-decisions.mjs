/**
 * Checks docs/adr: each decision has a number of its own, the number in its title, and a line that says where it stands and
 * since when. One that is superseded names its successor, which `check-references.mjs` looks for.
 *
 * `node scripts/check-decisions.mjs [root]` prints one line a fault and ends with 1 when there is one.
 */
import '../bin/require-node.mjs';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = join(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url)), 'docs/adr');
const STATUS = /^Status: (proposed|accepted|rejected|superseded by .*\d{4}.*) \(\d{4}-\d{2}-\d{2}\)/m;

const faults = [];
const numbers = new Set();
for (const file of readdirSync(folder).toSorted()) {
  const number = /^(\d{4})-[a-z0-9-]+\.md$/.exec(file)?.[1];
  if (number === undefined) {
    faults.push(`${file}: its name is not a number of four digits and words in kebab-case`);
    continue;
  }
  if (numbers.has(number)) faults.push(`${file}: there is another decision ${number}`);
  numbers.add(number);
  const text = readFileSync(join(folder, file), 'utf8');
  if (!text.startsWith(`# ${number}: `)) faults.push(`${file}: its title begins with "# ${number}: "`);
  if (!STATUS.test(text)) faults.push(`${file}: it lacks a line such as "Status: accepted (2026-11-22)."`);
}
for (const fault of faults) console.error(`docs/adr/${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;
