/**
 * Checks the hand-written queries of libs: each is made by a shape's `query`, none is asserted to be one, and no two have
 * the same text, by which they are distinguished. `number of queries` is printed.
 *
 * `node scripts/check-statements.mjs [root [answered]]`; with `answered`, the file that a run of all tests wrote
 * (`libs/storage/src/statements/checked-rows.ts`), also that each has returned rows of its shape on both databases.
 * Prints one line a fault and ends with 1 when there is one.
 */
import '../bin/require-node.mjs';
import fs, { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));
const answeredFile = process.argv[3];

/** Statements that one database alone runs, by their file and, where others in it run on both, how their text begins. */
const ALONE = [
  // Cloud mode has these features alone.
  { on: 'postgres', file: 'libs/access/' },
  { on: 'postgres', file: 'libs/scores/src/score-rollup.store.ts', text: 'select 1 as one' },
  { on: 'postgres', file: 'libs/scores/src/score-filter.store.ts', text: 'select count(*) as count' },
  { on: 'postgres', file: 'libs/audit/src/reading/' },
  { on: 'postgres', file: 'libs/audit/src/forwarding/' },
  { on: 'postgres', file: 'libs/search/' },
  { on: 'postgres', file: 'libs/tracing/src/listing/user-list.store.ts', text: 'select 1 as one' },
  { on: 'postgres', file: 'libs/tracing/src/retention/' },
  { on: 'postgres', file: 'libs/tracing/src/reading/counted-spans.sql.ts', text: 'select project_id as "projectId"' },
  { on: 'postgres', file: 'libs/tracing/src/reading/span-lookups.store.ts', text: 'select k.id as id' },
  {
    on: 'postgres',
    file: 'libs/tracing/src/reading/span-lookups.store.ts',
    text: 'select s.id as id from span s join',
  },
  { on: 'postgres', file: 'libs/tracing/src/reading/trace-lookups.store.ts', text: 'select t.id as id' },
  { on: 'postgres', file: 'libs/tracing/src/reading/trace-lookups.store.ts', text: 'select min(project_id)' },
  { on: 'postgres', file: 'libs/events/src/log/event-log.store.ts', text: 'select project_id as "projectId"' },
  // Spans lie in partitions there, found by their keys.
  { on: 'postgres', file: 'libs/storage/src/partitions/' },
  { on: 'postgres', file: 'libs/storage/src/projects/project-removers.ts' },
  { on: 'postgres', file: 'libs/tracing/src/span-partitions.sql.ts', text: 'select k.started_at' },
  { on: 'postgres', file: 'libs/tracing/src/span-partitions.sql.ts', text: 'select min(k.started_at)' },
  { on: 'postgres', file: 'libs/tracing/src/listing/list-strategies.sql.ts' },
  { on: 'postgres', file: 'libs/tracing/src/text-index/text-index.store.ts', text: 'select pg_current' },
  { on: 'postgres', file: 'libs/tracing/src/text-index/text-index.store.ts', text: 'select case when pg_' },
  { on: 'postgres', file: 'libs/tracing/src/span-partitions.sql.ts', text: 'select ${} from (' },
  { on: 'sqlite', file: 'libs/tracing/src/span-partitions.sql.ts' },
  // What each database does in its own way.
  { on: 'postgres', file: 'libs/storage/src/postgres/' },
  { on: 'sqlite', file: 'libs/tracing/src/listing/trace-list.store.ts', text: 'select t.started_at as value' },
  { on: 'sqlite', file: 'libs/tracing/src/trace.store.ts', text: 'select 1 as one from trace where project_id <>' },
  { on: 'postgres', file: 'libs/events/src/log/event-log.store.ts', text: 'with counter' },
  { on: 'sqlite', file: 'libs/events/src/log/event-log.store.ts', text: 'insert into event_counter' },
  { on: 'sqlite', file: 'libs/events/src/log/event-log.store.ts', text: 'select last_seq as "lastSeq", created_at' },
];

const faults = [];
const places = new Map();
for (const file of fs.globSync('libs/*/src/**/*.ts', { cwd: root }).toSorted()) {
  if (file.endsWith('.spec.ts')) continue;
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
  visit(source, source);
}
for (const { file, text = '' } of ALONE) {
  if (![...places].some(([query, place]) => place.startsWith(file) && query.startsWith(text)))
    faults.push(`scripts/check-statements.mjs: no query is in ${file}${text && ` and begins with "${text}"`}`);
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
    if (other) faults.push(`${at()}: the query has the same text as that at ${other}; they cannot be distinguished`);
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
    const alone = ALONE.find((one) => place.startsWith(one.file) && text.startsWith(one.text ?? ''));
    for (const dialect of alone ? [alone.on] : ['sqlite', 'postgres']) {
      if (!answered.has(JSON.stringify([dialect, text])))
        faults.push(`${place}: no test had a row of it on ${dialect}`);
    }
  }
}
