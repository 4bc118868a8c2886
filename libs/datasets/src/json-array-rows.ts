import { JsonArrayScanner } from './json-array-scanner.js';
import type { SourceRow } from './source-row.js';

/** Rows of a file that is one JSON array, read element by element. @throws FileFault when it is no array. */
export async function* jsonArrayRows(texts: AsyncIterable<string>, rowBytesMax: number): AsyncGenerator<SourceRow[]> {
  const scanner = new JsonArrayScanner(rowBytesMax);
  for await (const text of texts) yield scanner.push(text);
  scanner.end();
}
