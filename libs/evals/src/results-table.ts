import { Readable } from 'node:stream';
import type { EvalItem, RunScorer } from '@spandrel/contract';
import { csvCell } from '@spandrel/datasets';
import { streamSlices } from '@spandrel/http';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';

/** A row: an item, or one sample of it. */
type Row = Omit<EvalItem, 'samples'> & { repeat?: number };

interface Column {
  name: string;
  type: 'text' | 'number' | 'count';
  /** Texts as they are, any other JSON for a column of texts. */
  of(row: Row): unknown;
}

const member = (type: Column['type'], ...names: (keyof Row)[]): Column[] =>
  names.map((name) => ({ name, type, of: (row) => row[name] }));

/** @param hasSamples whether rows are samples. */
export const tableColumns = (scorers: readonly Pick<RunScorer, 'name'>[], hasSamples: boolean): Column[] => [
  ...member('text', 'datapoint_id'),
  ...(hasSamples ? member('count', 'repeat') : []),
  ...member('text', 'status', 'input', 'expected', 'output'),
  ...member('number', 'score'),
  ...scorers.map(({ name }): Column => ({
    name: `scores.${name}`,
    type: 'number',
    of: (row) => row.scores[name]?.score,
  })),
  ...member('text', 'score_reason', 'error'),
  ...member('number', 'latency_ms', 'cost', 'judge_cost'),
  ...member('count', 'tokens', 'judge_tokens', 'attempts'),
  ...member('text', 'judge_model', 'trace_id', 'metadata'),
  { name: 'datapoint_metadata', type: 'text', of: ({ kind }) => kind && Object.values(kind)[0]!.metadata },
];

/** The rows of items: one each, or one a sample. */
export const tableRows = (items: readonly EvalItem[], hasSamples: boolean): Row[] =>
  hasSamples
    ? items.flatMap(({ samples, ...item }) => (samples ?? [{ repeat: 0 }]).map((sample) => ({ ...item, ...sample })))
    : [...items];

/**
 * A table as CSV, a header row first. A text that a spreadsheet would run is prefixed as in exports of datasets.
 * @throws what reading the first rows throws, before anything is written.
 */
export const csvOf = (columns: readonly Column[], pages: AsyncGenerator<Row[]>): Promise<Readable> =>
  streamSlices(csvSlices(columns, pages), {
    head: `${columns.map(({ name }) => name).join()}\n`,
    between: '',
    tail: () => '',
  });

async function* csvSlices(columns: readonly Column[], pages: AsyncGenerator<Row[]>): AsyncGenerator<Iterable<string>> {
  for await (const rows of pages) yield rows.values().flatMap((row) => csvLine(columns, row));
}

function* csvLine(columns: readonly Column[], row: Row): Generator<string> {
  for (const [index, column] of columns.entries()) {
    if (index > 0) yield ',';
    const value = column.of(row) ?? null;
    if (value !== null) yield* csvCell(JSON.stringify(value));
  }
  yield '\n';
}

const TYPES = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  number: { type: 'DOUBLE' },
  count: { type: 'INT64' },
} as const;

/** {@link csvOf} as Parquet: a row group a page, values of JSON as its text, no value as null. */
export async function parquetOf(columns: readonly Column[], pages: AsyncGenerator<Row[]>): Promise<Readable> {
  return Readable.from(parquetPieces(columns, await pages.next(), pages), { objectMode: false });
}

async function* parquetPieces(
  columns: readonly Column[],
  first: IteratorResult<Row[]>,
  pages: AsyncGenerator<Row[]>,
): AsyncGenerator<Uint8Array> {
  const writer = new ByteWriter();
  const fields = columns.map(({ name, type }) => ({ name, repetition_type: 'OPTIONAL' as const, ...TYPES[type] }));
  const schema = [{ name: 'results', num_children: fields.length }, ...fields];
  // Long texts would take too long to compress.
  const parquet = new ParquetWriter({ writer, schema, codec: 'UNCOMPRESSED', statistics: false });
  const written = (): Uint8Array => {
    const bytes = writer.getBytes().slice();
    writer.index = 0;
    return bytes;
  };
  try {
    for (let page = first; !page.done; page = await pages.next()) {
      const rows = page.value;
      await parquet.write({
        columnData: columns.map((column) => ({ name: column.name, data: rows.map((row) => cellOf(column, row)) })),
        rowGroupSize: rows.length,
      });
      yield written();
    }
    await parquet.finish();
    yield written();
  } finally {
    // The client may be gone before the end.
    await pages.return(undefined);
  }
}

function cellOf({ type, of }: Column, row: Row): string | number | bigint | null {
  const value = of(row) ?? null;
  if (value === null) return null;
  if (type === 'text') return typeof value === 'string' ? value : JSON.stringify(value);
  return type === 'count' ? BigInt(value as number) : (value as number);
}
