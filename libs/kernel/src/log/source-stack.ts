import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** A place in a stack: `at run (file:///…/main.js:12:34)`, with or without the parentheses. */
const PLACE = /(file:\/\/\/(?:(?!file:)[^\s()])+?):(\d+):(\d+)/g;

const maps = new Map<string, SourceMap | undefined>();

/** A stack with the files of this repository. Maps are read with a file's first error: at the start they cost 80 MB. */
export const sourceStack = (stack: string): string =>
  stack.replace(PLACE, (place, url: string, line: string, column: string) => {
    const entry = mapOf(url)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (!entry || !('originalSource' in entry)) return place;
    const source = fileURLToPath(new URL(entry.originalSource, url));
    return `${pathToFileURL(source).href}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });

function mapOf(url: string): SourceMap | undefined {
  if (maps.has(url)) return maps.get(url);
  let map: SourceMap | undefined;
  try {
    const file = `${fileURLToPath(url)}.map`;
    if (existsSync(file)) map = new SourceMap(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // The places stay as they are.
  }
  maps.set(url, map);
  return map;
}
