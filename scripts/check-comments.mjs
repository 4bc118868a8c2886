/**
 * Checks the English of comments, texts and pages: a comment or sentence does not begin with "Of", "As" or "Whose", a page has no
 * sentence such as "What answers is …", and the words below are not used, in names neither (docs/glossary.md has better ones).
 *
 * `node scripts/check-comments.mjs [root]` prints one line a fault and ends with 1 when there is one.
 */
import '../bin/require-node.mjs';
import fs, { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));

/** With what to write instead. */
const WORDS = new Map([
  ['told', 'reported, notified, given'],
  ['tell', 'report, notify, say; tell apart: distinguish'],
  ['tells', 'reports, notifies, says'],
  ['anew', 'again'],
  ['lest', 'so that … not'],
  ['whoever', 'anyone who'],
  ['whereof', 'of which'],
  ['of before', 'earlier, previous'],
  ['said so', 'said it'],
]);
const WORD = new RegExp(`(?<![\\w-])(${[...WORDS.keys()].join('|')})(?![\\w-])`, 'gi');
const COMMENT = /(?:\/\*\*|\/\/|^ *\*) (Of|As|Whose|The same|With which|Behind which|Such|These|Those|Its|Theirs) /;
const SENTENCE = /(?<=[.!?] )(Of|As|Whose) (?=[a-z])/;
/** A clause as the subject of a sentence that is no question. */
const CLAUSE =
  /(?:^|(?<=[.!?] ))(What) (?:[^.?!:]+ )?(?:is|are|has|have|was|were|counts|stays|goes|comes) [^.?!:]+[.:]/;

const SOURCES = '{apps,bench,bin,libs,plugins,scripts,test}/**/*.{ts,tsx,mjs,cjs}';
const PAGES = '{*.md,{bench,docs,libs,plugins,test}/**/*.md}';
const SKIPPED = /(^|\/)(node_modules|dist|fixtures|check-comments\.(mjs|spec\.ts)$)/;

let faults = 0;
for (const file of list(SOURCES)) {
  const text = readFileSync(join(root, file), 'utf8');
  // What a script makes repeats descriptions that stand beside what they describe.
  if (text.startsWith('// Made by scripts/')) continue;
  for (const [index, line] of text.split('\n').entries()) {
    const start = COMMENT.exec(line) ?? (/^\s*(\/\*\*|\*|\/\/)/.test(line) && SENTENCE.exec(line));
    if (start) fault(file, index + 1, `a comment or sentence begins with "${start[1]}"; name what it is about`);
    checkWords(file, index + 1, line);
  }
}
for (const file of list(PAGES)) {
  for (const { text, line } of paragraphs(readFileSync(join(root, file), 'utf8'))) {
    const start = SENTENCE.exec(`. ${text}`) ?? CLAUSE.exec(text);
    if (start) fault(file, line, `a sentence begins with "${start[1]}"; name what it is about`);
    checkWords(file, line, text.replace(/`[^`]*`|\]\([^)]*\)/g, ''));
  }
}
process.exitCode = faults > 0 ? 1 : 0;

function list(pattern) {
  return fs.globSync(pattern, { cwd: root }).filter((file) => !SKIPPED.test(file));
}

function checkWords(file, line, text) {
  for (const { 1: word } of text.matchAll(WORD)) {
    fault(file, line, `"${word}" is not used here: ${WORDS.get(word.toLowerCase())}`);
  }
}

/** Paragraphs, items and cells of a page, each in one line; code is left out. */
function* paragraphs(page) {
  let block = [];
  let line = 1;
  let isCode = false;
  const lines = [...page.split('\n'), ''];
  for (const [index, each] of lines.entries()) {
    if (/^ *(```|~~~)/.test(each)) isCode = !isCode;
    const isBreak = isCode || each.trim() === '' || /^ *(```|~~~|#|[-*] |\d+\. |\|)/.test(each);
    if (isBreak && block.length > 0) {
      yield { text: block.join(' '), line };
      block = [];
    }
    if (isCode || each.trim() === '' || /^ *(```|~~~)/.test(each)) continue;
    if (each.startsWith('|')) {
      for (const cell of each.split('|')) if (cell.trim() !== '') yield { text: cell.trim(), line: index + 1 };
      continue;
    }
    if (/^ *#/.test(each)) continue;
    if (block.length === 0) line = index + 1;
    block.push(each.trim().replace(/^([-*]|\d+\.) /, ''));
  }
}

function fault(file, line, message) {
  faults++;
  console.error(`${file}:${line}: ${message}`);
}
