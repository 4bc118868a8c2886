import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { formatCounted } from '@spandrel/contract/browser';
import type { ClientCall } from '../client-command.js';
import { CommandFailure } from '../exit-codes.js';
import { formatOf, PIPE, type FileFormat } from './file-format.js';
import { findDataset } from './find-dataset.js';

/** Options of `datasets export`. */
export interface ExportOptions {
  format?: FileFormat;
  output: string;
}

/** Writes a dataset to a file or to standard output as it comes. A file that is there is whole: it gets its name at the end. */
export async function exportDataset(
  { api, out, io, options: { format: given, output } }: ClientCall<ExportOptions>,
  nameOrId: string,
): Promise<void> {
  const format = formatOf(output, given);
  const dataset = await findDataset(api, nameOrId);
  const { body } = await api.raw('GET', `/api/datasets/${dataset.id}/export`, { query: { format } });
  if (output === PIPE) {
    await out.stream(body!, format === 'csv' ? 'text' : 'json');
    return;
  }
  const partial = `${output}.${process.pid}.partial`;
  const file = createWriteStream(partial, { flags: 'wx' });
  let failed: Error | undefined;
  file.once('error', (error) => (failed = error));
  try {
    await pipeline(body!, file, { signal: io.signal });
    await rename(partial, output);
  } catch (error) {
    const isOfFile = failed !== undefined || (error as NodeJS.ErrnoException).syscall === 'rename';
    throw isOfFile ? new CommandFailure(`${output}: cannot be written (${(error as Error).message})`) : error;
  } finally {
    await rm(partial, { force: true });
  }
  out.note(`wrote ${formatCounted(dataset.datapoint_count, 'datapoint')} of "${dataset.name}" to ${output}`);
}
