/**
 * Checks what names a page of the documentation: every page and heading must exist, written from the root of the
 * repository (`docs/spec/spans.md#finishing-a-span`) in code, settings and tests, and as a relative link in Markdown. A
 * decision is named by its number (ADR 0003), a source in Markdown by its path from the root. Nothing may name the documents the specification was made from: they are
 * not in the repository.
 *
 * `node scripts/check-references.mjs [root]` prints one line a fault and ends with 1 when there is one.
 */
import '../bin/require-node.mjs';
import fs, { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));

const SKIPPED_FOLDERS = new Set(['.git', 'node_modules', 'dist', 'dist-nest', 'data', 'coverage', 'fixtures']);
const READ_FILES = /\.(ts|mts|cts|js|mjs|cjs|json|ya?ml|md|txt|tpl|sql|toml)$|(^|\/)Dockerfile$/;
/** This check and its tests name what is not there. */
const OWN_FILES = /(^|\/)check-references\.(mjs|spec\.ts)$/;
/** Where the specification came from; these are no documents of this repository. */
const OUTSIDE = /\.\.\/shared\b|service-spec\b|(?<![\w/-])(?:contract|wire)\.md/gi;

const PAGE = /(?<![\w./-])((?:[\w.-]+\/)*[\w.-]+\.md)(?:#([\w-]+))?/g;
const DECISION = /\bADR (\d{4})\b/g;
/** A file or folder of the repository as Markdown names it; one with a placeholder or a pattern is none. */
const CODE_PATH = /`((?:apps|bench|libs|plugins|test|scripts)\/[\w./-]+)`/g;
const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g;

const faults = [];
const headingsOfPage = new Map();

for (const file of listFiles(root)) {
  if (OWN_FILES.test(file)) continue;
  const text = readFileSync(join(root, file), 'utf8');
  for (const { 0: name, index } of text.matchAll(OUTSIDE)) fault(file, text, index, `${name} is not in the repository`);
  for (const { 1: number, index } of text.matchAll(DECISION)) {
    if (fs.globSync(`docs/adr/${number}-*.md`, { cwd: root }).length === 0)
      fault(file, text, index, `there is no ADR ${number}`);
  }
  if (file.endsWith('.md')) {
    checkLinks(file, text);
    checkPaths(file, text);
  }
  checkMentions(file, text);
}

for (const line of faults) console.error(line);
process.exitCode = faults.length > 0 ? 1 : 0;

/** Relative links of a Markdown page, and what follows their `#`. */
function checkLinks(file, text) {
  for (const { 1: target, index } of withoutCode(text).matchAll(LINK)) {
    if (/^[a-z][a-z\d+.-]*:/i.test(target)) continue;
    const [path, anchor] = target.split('#');
    const page = path === '' ? file : normalize(join(dirname(file), decodeURI(path)));
    checkTarget(file, text, index, page, anchor);
  }
}

/** Pages that a text names, from the root; in Markdown those under `docs/` alone, as the others are links. */
function checkMentions(file, text) {
  const named = file.endsWith('.md') ? withoutLinks(text) : text;
  for (const { 1: path, 2: anchor, index } of named.matchAll(PAGE)) {
    if (file.endsWith('.md') && !path.startsWith('docs/')) continue;
    checkTarget(file, text, index, path, anchor);
  }
}

/** Sources that a page names; a suite may be named without its ending. */
function checkPaths(file, text) {
  for (const { 1: path, index } of withoutCode(text).matchAll(CODE_PATH)) {
    if (fs.globSync(`${path}*`, { cwd: root }).length === 0) fault(file, text, index, `there is no ${path}`);
  }
}

function checkTarget(file, text, index, page, anchor) {
  const path = join(root, page);
  if (!existsSync(path)) return fault(file, text, index, `there is no ${page}`);
  if (anchor === undefined || !page.endsWith('.md') || statSync(path).isDirectory()) return;
  if (!headingsOf(path).has(anchor)) fault(file, text, index, `${page} has no heading #${anchor}`);
}

/** The anchors of a page's headings, as GitHub makes them. */
function headingsOf(path) {
  let anchors = headingsOfPage.get(path);
  if (anchors) return anchors;
  anchors = new Set();
  for (const { 1: heading } of withoutCode(readFileSync(path, 'utf8')).matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const anchor = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replace(/ /g, '-');
    let unique = anchor;
    for (let count = 1; anchors.has(unique); count++) unique = `${anchor}-${count}`;
    anchors.add(unique);
  }
  headingsOfPage.set(path, anchors);
  return anchors;
}

/** Markdown with fenced code blanked out; positions stay the same. */
function withoutCode(text) {
  return text.replace(/^ *(```+|~~~+).*\n[^]*?^ *\1.*$/gm, blank);
}

function withoutLinks(text) {
  return text.replace(LINK, blank);
}

function blank(text) {
  return text.replace(/[^\n]/g, ' ');
}

function fault(file, text, index, message) {
  faults.push(`${file}:${text.slice(0, index).split('\n').length}: ${message}`);
}

function listFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED_FOLDERS.has(entry.name) ? [] : listFiles(path);
    return entry.isFile() && READ_FILES.test(entry.name) && entry.name !== 'package-lock.json'
      ? [relative(root, path)]
      : [];
  });
}
