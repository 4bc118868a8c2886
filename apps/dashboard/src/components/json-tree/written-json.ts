import { isContainer } from './json-rows.js';
import { JSON_KIND, keyOf, type JsonIndex } from './json-index.js';

const STEP = '  ';

/** A value as JSON on lines of its own, with names and numbers exactly as they were written. */
export function indentJson(text: string, index: JsonIndex, node: number): string {
  const pieces: string[] = [];
  const open: number[] = [];
  const base = index.depth[node]!;
  for (let at = node; at < index.end[node]!; at++) {
    while (open.length > 0 && index.end[open.at(-1)!]! <= at) pieces.push(closing(index, open.pop()!, base));
    if (at > node) pieces.push(index.parent[at] === at - 1 ? '\n' : ',\n', STEP.repeat(index.depth[at]! - base));
    if (at > node && index.keyFrom[at] !== -1) pieces.push(text.slice(index.keyFrom[at], index.keyTo[at]), ': ');
    if (isContainer(index, at)) {
      pieces.push(index.kind[at] === JSON_KIND.object ? '{' : '[');
      open.push(at);
    } else {
      pieces.push(emptyOf(index, at) ?? text.slice(index.from[at], index.to[at]));
    }
  }
  while (open.length > 0) pieces.push(closing(index, open.pop()!, base));
  return pieces.join('');
}

function closing({ depth, kind }: JsonIndex, node: number, base: number): string {
  return `\n${STEP.repeat(depth[node]! - base)}${kind[node] === JSON_KIND.object ? '}' : ']'}`;
}

/**
 * A value as people read it: a text is itself, line breaks and all; members stand below each other with their names, items
 * with a dash, texts of several lines indented below their name. Nothing is left out, and numbers are as they were written.
 */
export function readableText(text: string, index: JsonIndex, node: number): string {
  if (!isContainer(index, node)) return scalarText(text, index, node, '');
  const pieces: string[] = [];
  const base = index.depth[node]! + 1;
  let isLineBegun = false;
  for (let at = node + 1; at < index.end[node]!; at++) {
    const indent = STEP.repeat(index.depth[at]! - base);
    if (!isLineBegun) pieces.push(indent);
    const key = keyOf(text, index, at);
    const name = key === null ? '-' : `${key}:`;
    isLineBegun = isContainer(index, at) && key === null;
    if (isContainer(index, at)) pieces.push(name, isLineBegun ? ' ' : '\n');
    else pieces.push(name, placed(scalarText(text, index, at, '""'), indent + STEP), '\n');
  }
  pieces.pop();
  return pieces.join('');
}

/** A text behind its name; one of several lines begins on the next. */
const placed = (value: string, indent: string): string =>
  value.includes('\n') ? `\n${value.replaceAll(/(^|\n)(?=[^\n])/g, `$1${indent}`)}` : ` ${value}`;

function scalarText(text: string, index: JsonIndex, node: number, empty: string): string {
  const source = text.slice(index.from[node], index.to[node]);
  if (index.kind[node] !== JSON_KIND.string) return emptyOf(index, node) ?? source;
  return (JSON.parse(source) as string) || empty;
}

/** How a container without anything in it is written; `null` for all else. */
function emptyOf({ kind, size }: JsonIndex, node: number): string | null {
  if (size[node] !== 0) return null;
  if (kind[node] === JSON_KIND.object) return '{}';
  return kind[node] === JSON_KIND.array ? '[]' : null;
}
