import { decodeUtf8 } from '@spandrel/uploads';
import { csvRows } from './csv-rows.js';
import type { FileFormat } from './file-format.js';
import { jsonArrayRows } from './json-array-rows.js';
import { jsonlRows } from './jsonl-rows.js';
import type { SourceRow } from './source-row.js';

const READERS = { jsonl: jsonlRows, json: jsonArrayRows, csv: csvRows };

/**
 * The rows of a file, some at a time, as they are read; each lot is taken before the next is asked for.
 * @param chunks its bytes, cut anywhere.
 * @param rowBytesMax longer rows come as a fault.
 * @throws FileFault where it cannot be read on.
 */
export const readRows = (
  chunks: AsyncIterable<Buffer>,
  format: FileFormat,
  rowBytesMax: number,
): AsyncIterable<Iterable<SourceRow>> => READERS[format](decodeUtf8(chunks), rowBytesMax);
