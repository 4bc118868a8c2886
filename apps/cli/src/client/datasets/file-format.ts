import { extname } from 'node:path';
import { UsageFault } from '../exit-codes.js';

/** The formats of files of datapoints (docs/spec/import-export.md#file-formats). */
export const FILE_FORMATS = ['jsonl', 'json', 'csv'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

const BY_ENDING: Readonly<Record<string, FileFormat>> = {
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.json': 'json',
  '.csv': 'csv',
};

/** Standard input or output, where a file's name is expected. */
export const PIPE = '-';

/**
 * @param given by `--format`.
 * @returns the format that was given, else that of the file's name, else JSONL for a pipe, as the API exports it.
 * @throws UsageFault where nothing tells.
 */
export function formatOf(file: string, given: FileFormat | undefined): FileFormat {
  if (given !== undefined) return given;
  if (file === PIPE) return 'jsonl';
  const found = BY_ENDING[extname(file).toLowerCase()];
  if (found) return found;
  throw new UsageFault(`${file}: its name does not tell what it is; say --format ${FILE_FORMATS.join(', ')}`);
}
