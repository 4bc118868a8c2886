import { FileFault, RowText } from '@spandrel/uploads';
import type { SourceRow } from './source-row.js';

/** Rows of JSON lines, made as they are taken; empty lines are passed over. @throws FileFault when all are empty. */
export async function* jsonlRows(
  texts: AsyncIterable<string>,
  rowBytesMax: number,
): AsyncGenerator<Iterable<SourceRow>> {
  const lines = new Lines(rowBytesMax);
  for await (const text of texts) yield lines.push(text);
  yield lines.end();
  if (lines.areEmpty) throw new FileFault(1, EMPTY);
}

const EMPTY = 'the file is empty; expected is a JSON object a line, {"input": …, "expected_output": …}';

/** Cuts text at line ends. */
class Lines {
  private readonly row: RowText;
  private line = 1;
  /** Whether there has been no row so far. */
  areEmpty = true;

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
    if (this.row.isBlank) {
      this.row.clear();
    } else {
      this.areEmpty = false;
      yield this.row.take(this.line);
    }
    this.line++;
  }
}
