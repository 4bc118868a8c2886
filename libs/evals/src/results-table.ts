import { Readable } from 'node:stream';
import type { EvalItem, RunScorer } from '@spandrel/contract';
import { csvCell } from '@spandrel/datasets';
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
 * Writes a table page by page: CSV with a header row, whose texts no spreadsheet takes for formulas, or Parquet.
 * @throws what reading the first page throws, before anything is written.
 */
export async function writeTable(
  format: 'csv' | 'parquet',
  columns: readonly Column[],
  pages: AsyncGenerator<Row[]>,
): Promise<Readable> {
  const pieces = format === 'csv' ? csvPieces(columns, pages) : parquetPieces(columns, pages);
  const first = await pieces.next();
  return Readable.from(joinPieces(first.value as Uint8Array | string, pieces), { objectMode: false });
}

async function* joinPieces<Piece>(first: Piece, rest: AsyncGenerator<Piece>): AsyncGenerator<Piece> {
  yield first;
  yield* rest;
}

async function* csvPieces(columns: readonly Column[], pages: AsyncGenerator<Row[]>): AsyncGenerator<string> {
  let head = `${columns.map(({ name }) => name).join()}\n`;
  for await (const rows of pages) {
    yield head;
    head = '';
    for (const row of rows) yield `${columns.map((column) => csvText(column.of(row))).join()}\n`;
  }
}

const csvText = (value: unknown): string =>
  value === null || value === undefined ? '' : [...csvCell(JSON.stringify(value))].join('');

const TYPES = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  number: { type: 'DOUBLE' },
  count: { type: 'INT64' },
} as const;

/** A row group a page; values of JSON are its text, and no value is null. */
async function* parquetPieces(columns: readonly Column[], pages: AsyncGenerator<Row[]>): AsyncGenerator<Uint8Array> {
  const writer = new ByteWriter();
  const fields = columns.map(({ name, type }) => ({ name, repetition_type: 'OPTIONAL' as const, ...TYPES[type] }));
  const schema = [{ name: 'results', num_children: fields.length }, ...fields];
  // Long texts would take too long to compress.
  const parquet = new ParquetWriter({ writer, schema, codec: 'UNCOMPRESSED', statistics: false });
  for await (const rows of pages) {
    const columnData = columns.map((column) => ({
      name: column.name,
      data: rows.map((row) => parquetCell(column, row)),
    }));
    await parquet.write({ columnData, rowGroupSize: rows.length });
    yield writer.getBytes().slice();
    writer.index = 0;
  }
  await parquet.finish();
  yield writer.getBytes().slice();
}

function parquetCell({ type, of }: Column, row: Row): string | number | bigint | null {
  const value = of(row) ?? null;
  if (value === null) return null;
  if (type === 'text') return typeof value === 'string' ? value : JSON.stringify(value);
  return type === 'count' ? BigInt(value as number) : (value as number);
}
