/**
 * Checks that no regular expression of apps, libs and plugins takes more than linear time, whatever text it is given: recheck
 * finds a text for which it would. What is matched at one place (`y`) is checked as if it were tried at every place. A
 * pattern that is put together at run time cannot be checked, and is on a list with what holds it. A repetition of many with no
 * end (`{8,}`) keeps its way on a stack, which a text of millions of characters overflows.
 *
 * `node scripts/check-regexps.mjs [root]` prints one line a fault and ends with 1 when there is one.
 */
import '../bin/require-node.mjs';
import fs, { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { check } from 'recheck';
import ts from 'typescript';

const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));

/** Expressions that may stay as they are, by their file and how they begin. */
const EXCEPTIONS = [
  {
    file: 'libs/plugin-api/src/wire/pattern-size.ts',
    text: 'new RegExp',
    why: 'no part of it reads what another has read',
  },
  { file: 'plugins/maskers/secret/tokens.ts', text: 'new RegExp', why: 'fixed beginnings of tokens' },
  { file: 'libs/contract/src/api-key.ts', text: 'new RegExp', why: 'of one length' },
  { file: 'libs/http/src/intake/wrong-method.ts', text: 'new RegExp', why: 'parts of a path between slashes' },
  {
    file: 'libs/tracing/src/pricing/genai-prices.ts',
    text: 'new RegExp',
    why: 'of ours, over a file of who runs the server',
  },
  { file: 'libs/sdk/src/evaluating/scorer.ts', text: 'new RegExp', why: 'of the application that scores' },
  { file: 'apps/cli/src/eval/commands/eval-files.ts', text: 'new RegExp', why: 'of who runs the command' },
  { file: 'apps/cli/src/npm-flags.ts', text: 'new RegExp', why: 'over the file of who runs the command' },
  { file: 'apps/dashboard/src/components/text-view/text-rows.ts', text: 'new RegExp', why: 'one fixed text' },
];

/** A few tries at those with a look ahead or back, which recheck cannot prove: its own numbers take three times as long. */
const EFFORT = {
  ...{ timeout: 60_000, recallLimit: 0, maxIteration: 4, incubationLimit: 8_000, attackLimit: 400_000_000 },
  // Counted in steps alone: what a busy machine takes longer than a second for counts as vulnerable otherwise.
  ...{ attackTimeout: null, incubationTimeout: null },
  ...{ maxInitialGenerationSize: 200, maxGenerationSize: 40, mutationSize: 20, crossoverSize: 10 },
};

const faults = [];
const usedExceptions = new Set();
/** Where each expression stands first. */
const places = new Map();
const files = fs
  .globSync(['apps/*/src/**/*.{ts,tsx}', 'libs/*/src/**/*.ts', 'plugins/**/*.ts'], { cwd: root })
  .filter((file) => !/\.spec\.tsx?$|\.d\.ts$/.test(file))
  .toSorted();
for (const name of files) {
  const file = ts.createSourceFile(name, readFileSync(join(root, name), 'utf8'), ts.ScriptTarget.Latest, true);
  walk(file, (node) => {
    const isMade = (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp';
    if (!isMade && !ts.isRegularExpressionLiteral(node)) return;
    const at = `${name}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
    if (isException(name, node.getText())) return;
    if (isMade) faults.push(`${at}: made at run time, which cannot be checked: ${node.getText()}`);
    else if (/[^\\]\{\d+,\}/.test(node.text))
      faults.push(`${at}: {n,} overflows: look ahead (?=x{n}) before x+: ${node.text}`);
    else if (!places.has(node.text)) places.set(node.text, at);
  });
}
for (const exception of EXCEPTIONS) {
  if (files.includes(exception.file) && !usedExceptions.has(exception))
    faults.push(`scripts/check-regexps.mjs: nothing in ${exception.file} needs the exception "${exception.text}"`);
}
for (const [text, at] of places) {
  const end = text.lastIndexOf('/');
  const flags = text
    .slice(end + 1)
    .replace('v', 'u')
    .replace(/[dy]/g, '');
  const { status, complexity, attack, error } = await check(text.slice(1, end), flags, EFFORT);
  if (status === 'vulnerable') faults.push(`${at}: ${complexity.summary} for ${attack.pattern}: ${text}`);
  else if (status !== 'safe') faults.push(`${at}: cannot be checked (${error?.kind}): ${text}`);
}
for (const fault of faults) console.error(fault);
console.log(`${places.size} regular expressions, ${faults.length} faults`);
// recheck's process would go on.
process.exit(faults.length > 0 ? 1 : 0);

function isException(file, text) {
  const exception = EXCEPTIONS.find((each) => each.file === file && text.startsWith(each.text));
  if (exception) usedExceptions.add(exception);
  return exception !== undefined;
}

function walk(node, visit) {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}
