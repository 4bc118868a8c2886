import { RowText } from './row-text.js';
import type { SourceRow } from './source-row.js';

/** Rows of JSON lines; empty lines are passed over. */
export async function* jsonlRows(texts: AsyncIterable<string>, rowBytesMax: number): AsyncGenerator<SourceRow[]> {
  const row = new RowText(rowBytesMax);
  let line = 1;
  const endLine = (rows: SourceRow[]): void => {
    if (row.isBlank) row.clear();
    else rows.push(row.take(line));
    line++;
  };
  for await (const text of texts) {
    const rows: SourceRow[] = [];
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      row.add(text.slice(start, end));
      endLine(rows);
      start = end + 1;
    }
    row.add(text.slice(start));
    yield rows;
  }
  const last: SourceRow[] = [];
  endLine(last);
  yield last;
}
