/**
 * Checks the hand-written queries of libs: each is made by a shape's `query`, none is asserted to be one, and no two have
 * the same text, by which they are told apart. `number of queries` is printed.
 *
 * `node scripts/check-statements.mjs [root [answered]]`; with `answered`, the file that a run of all tests wrote
 * (`libs/storage/src/statements/checked-rows.ts`), also that each has returned rows of its shape on both databases.
 * Prints one line a fault and ends with 1 when there is one.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));
const answeredFile = process.argv[3];

/** Comment of a statement that only one database runs: `-- on Postgres alone`, `-- on SQLite alone`. */
const ALONE = /-- on (Postgres|SQLite) alone/;

const faults = [];
const places = new Map();
for (const file of globSync('libs/*/src/**/*.ts', { cwd: root }).toSorted()) {
  if (file.endsWith('.spec.ts')) continue;
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
  visit(source, source);
}
if (answeredFile !== undefined) checkAnswered();
for (const fault of faults) console.error(fault);
console.log(`${places.size} queries, ${faults.length} faults`);
process.exitCode = faults.length > 0 ? 1 : 0;

function visit(node, source) {
  const at = () => `${source.fileName}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
  if (ts.isTaggedTemplateExpression(node) && node.tag.name?.text === 'query') {
    const text = templateOf(node.template);
    const other = places.get(text);
    if (other) faults.push(`${at()}: the query has the same text as that at ${other}; they cannot be told apart`);
    else places.set(text, at());
  }
  if (ts.isAsExpression(node) && /^Query\b/.test(node.type.getText())) {
    faults.push(`${at()}: a query is made by the shape of its rows, not asserted`);
  }
  ts.forEachChild(node, (child) => visit(child, source));
}

function templateOf(template) {
  if (ts.isNoSubstitutionTemplateLiteral(template)) return template.text;
  return [template.head.text, ...template.templateSpans.map(({ literal }) => literal.text)].join('${}');
}

function checkAnswered() {
  const lines = existsSync(answeredFile) ? readFileSync(answeredFile, 'utf8').trim().split('\n') : [];
  const answered = new Set(lines);
  for (const [text, place] of places) {
    const alone = ALONE.exec(text)?.[1]?.toLowerCase();
    for (const dialect of alone ? [alone] : ['sqlite', 'postgres']) {
      if (!answered.has(JSON.stringify([dialect, text])))
        faults.push(`${place}: no test had a row of it on ${dialect}`);
    }
  }
}
