import { RowText } from '@spandrel/uploads';
import type { SourceRow } from './source-row.js';

/** Rows of JSON lines, made as they are taken; empty lines are passed over. */
export async function* jsonlRows(
  texts: AsyncIterable<string>,
  rowBytesMax: number,
): AsyncGenerator<Iterable<SourceRow>> {
  const lines = new Lines(rowBytesMax);
  for await (const text of texts) yield lines.push(text);
  yield lines.end();
}

/** Cuts text at line ends. */
class Lines {
  private readonly row: RowText;
  private line = 1;

  constructor(rowBytesMax: number) {
    this.row = new RowText(rowBytesMax);
  }

  *push(text: string): Generator<SourceRow> {
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      this.row.add(text.slice(start, end));
      yield* this.end();
      start = end + 1;
    }
    this.row.add(text.slice(start));
  }

  *end(): Generator<SourceRow> {
    if (this.row.isBlank) this.row.clear();
    else yield this.row.take(this.line);
    this.line++;
  }
}
