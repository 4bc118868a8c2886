import { constants, createReadStream, createWriteStream, openAsBlob } from 'node:fs';
import { access, stat, rename, rm } from 'node:fs/promises';
import { extname, basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ImportLine, ImportResult, Problem } from '@spandrel/contract';
import { formatCounted } from '@spandrel/contract/browser';
import { SpandrelError, type Api } from '@spandrel/sdk';
import type { ClientCall } from '../client-command.js';
import { decodeText } from '../command-io.js';
import { UsageFault, CommandFailure } from '../exit-codes.js';
import { countText } from '../output/units.js';
import { createClient, lookForDataset, findDataset } from '../server.js';

/** The formats of files of datapoints (docs/spec/import-export.md#file-formats). */
export const FILE_FORMATS = ['jsonl', 'json', 'csv'] as const;
type FileFormat = (typeof FILE_FORMATS)[number];

const BY_ENDING: Readonly<Record<string, FileFormat>> = {
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.json': 'json',
  '.csv': 'csv',
};

/** Standard input or output, where a file's name is expected. */
export const PIPE = '-';

/** @param given by `--format`; else the file's name counts, JSONL for a pipe. @throws UsageFault for an unknown format. */
export function chooseFormat(file: string, given: FileFormat | undefined): FileFormat {
  if (given !== undefined) return given;
  if (file === PIPE) return 'jsonl';
  const found = BY_ENDING[extname(file).toLowerCase()];
  if (found) return found;
  throw new UsageFault(`${file}: the file format is unknown; give --format ${FILE_FORMATS.join(', ')}`);
}

interface ImportOptions {
  dataset: string;
  format?: FileFormat;
  onError?: 'reject' | 'skip';
  dedupe?: boolean;
  replace?: boolean;
}

const MEDIA_TYPES: Readonly<Record<FileFormat, string>> = {
  jsonl: 'application/x-ndjson',
  json: 'application/json',
  csv: 'text/csv',
};

/** The answer begins when the file has arrived, however large it is and slow the line. */
const ARRIVAL_MS_MAX = 3_600_000;

/** Sends a file into a dataset, which is made when there is none of the name. The file is never in memory as a whole. */
export async function importDataset({ api, out, io, options }: ClientCall<ImportOptions>, file: string): Promise<void> {
  const format = chooseFormat(file, options.format);
  const body = await openContent(file, io.stdin);
  const found = await lookForDataset(api, options.dataset);
  const dataset = found ?? (await api.createDataset({ body: { name: options.dataset } }));
  let result: ImportResult;
  try {
    const answer = await api.raw('POST', `/api/datasets/${dataset.id}/import`, {
      query: {
        on_error: options.onError ?? 'reject',
        dedupe: options.dedupe,
        replace: options.replace,
        filename: file === PIPE ? `stdin.${format}` : `${basename(file)}${options.format ? `.${format}` : ''}`,
      },
      headers: { 'content-type': MEDIA_TYPES[format], accept: 'application/x-ndjson' },
      body,
      timeoutMs: ARRIVAL_MS_MAX,
    });
    result = await readResult(answer.body!, (rows) => {
      if (io.stderr.isTTY) io.stderr.write(`\r${countText(rows)} rows`);
    });
    if (io.stderr.isTTY) io.stderr.write('\r\u001b[K');
  } catch (error) {
    // Nothing was imported: what was made for it is not left behind.
    const isRefused = error instanceof SpandrelError && error.status >= 400 && error.status < 500;
    if (!found && (isRefused || io.signal.aborted)) await deleteEmpty(createClient(options, io, null), dataset.id);
    throw error;
  }
  if (!found) out.note(`made the dataset "${dataset.name}" (${dataset.id})`);
  if (out.json) await out.document(result);
  else await out.lines(resultLines(result, dataset.name, options));
}

/** What fails here is not what the import failed by. */
async function deleteEmpty(api: Api, id: string): Promise<void> {
  const path = { id };
  try {
    const { datapoint_count: count } = await api.getDataset({ path });
    if (count === 0) await api.deleteDataset({ path });
  } catch {
    // It stays, empty as it is.
  }
}

/** A file, sent with its length, or what a pipe brings, as it is read. @throws UsageFault where it cannot be. */
export async function openContent(file: string, stdin: Readable): Promise<Blob | ReadableStream<Uint8Array>> {
  if (file === PIPE) return Readable.toWeb(stdin) as ReadableStream<Uint8Array>;
  const cannotBeRead = ({ code }: NodeJS.ErrnoException): never => {
    throw new UsageFault(`${file}: cannot be read (${code})`);
  };
  await access(file, constants.R_OK).catch(cannotBeRead);
  const facts = await stat(file).catch(cannotBeRead);
  if (facts.isDirectory()) throw new UsageFault(`${file}: is a folder, not a file`);
  // A fetch that sends a stream fails in Node 24.14 and later where the answer is 401.
  return facts.isFile() ? openAsBlob(file) : (Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>);
}

/** Reads the lines of progress. @returns what the last says. @throws SpandrelError when that is an error. */
async function readResult(body: ReadableStream<Uint8Array>, report: (rows: number) => void): Promise<ImportResult> {
  let rest = '';
  let last: ImportLine | undefined;
  for await (const text of decodeText(body)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      if (line === '') continue;
      last = JSON.parse(line) as ImportLine;
      if ('rows' in last) report(last.rows);
    }
  }
  if (last === undefined || !('status' in last)) {
    const detail = 'the connection was lost before the import had ended; nothing was imported unless all was';
    throw new SpandrelError({ status: 0, code: 'unreachable', detail });
  }
  if (last.status < 400) return last.body as ImportResult;
  const { code, detail, title, errors, request_id: requestId } = last.body as Problem;
  throw new SpandrelError({ status: last.status, code, detail: detail ?? title, errors, requestId });
}

function describeDuplicates(count: number, { dedupe, replace }: ImportOptions): string {
  if (replace) return `kept ${formatCounted(count, 'datapoint')} that the file has, too`;
  const rows = count === 1 ? '1 row that was' : `${countText(count)} rows that were`;
  if (dedupe) return `left out ${rows} there already`;
  return `took ${rows} there already once more: --dedupe leaves them out, --replace makes the dataset what the file is`;
}

function resultLines(result: ImportResult, name: string, options: ImportOptions): string[] {
  const { imported, columns_ignored: ignored, skipped = [], skipped_count: skippedCount = 0, hint } = result;
  const { skipped_empty_rows: emptyRows = 0, columns_used: used, duplicates = 0, removed = 0 } = result;
  const kept = used.flatMap(({ member }) => (member.startsWith('metadata.') ? member.slice('metadata.'.length) : []));
  return [
    `imported ${formatCounted(imported, 'datapoint')} into "${name}"`,
    ...(removed > 0 ? [`removed ${formatCounted(removed, 'datapoint')} that the file does not have`] : []),
    ...(duplicates > 0 ? [describeDuplicates(duplicates, options)] : []),
    ...(kept.length > 0 ? [`metadata: ${[...new Set(kept)].join(', ')}`] : []),
    ...(ignored.length > 0 ? [`ignored columns: ${ignored.map(({ column }) => column).join(', ')}`] : []),
    ...(emptyRows > 0 ? [`passed over ${formatCounted(emptyRows, 'empty row')}`] : []),
    ...(skippedCount > 0 ? [`left out ${formatCounted(skippedCount, 'row')}:`] : []),
    ...skipped.slice(0, 20).map(({ line, message }) => `  line ${line}: ${message}`),
    ...(hint === undefined ? [] : [hint]),
  ];
}

/** Writes a dataset to a file or to standard output as it comes. */
export async function exportDataset(
  { api, out, io, options: { format: given, output } }: ClientCall<{ format?: FileFormat; output: string }>,
  nameOrId: string,
): Promise<void> {
  const format = chooseFormat(output, given);
  const dataset = await findDataset(api, nameOrId);
  const { body } = await api.raw('GET', `/api/datasets/${dataset.id}/export`, { query: { format } });
  if (output === PIPE) return out.stream(body!, format === 'csv' ? 'text' : 'json');
  await saveFile(body!, output, io.signal);
  const { id, name, datapoint_count: count } = dataset;
  const sentence = `${formatCounted(count, 'datapoint')} of "${name}" to ${output}`;
  await out.wrote({ file: output, dataset_id: id, datapoints: count }, sentence);
}

/** Writes a body to a file as it comes. A file that is there is whole: it gets its name at the end. @throws CommandFailure */
export async function saveFile(body: ReadableStream<Uint8Array>, output: string, signal?: AbortSignal): Promise<void> {
  const partial = `${output}.${process.pid}.partial`;
  const file = createWriteStream(partial, { flags: 'wx' });
  let failed: Error | undefined;
  file.once('error', (error) => (failed = error));
  try {
    await pipeline(body, file, { signal });
    await rename(partial, output);
  } catch (error) {
    const isOfFile = failed !== undefined || (error as NodeJS.ErrnoException).syscall === 'rename';
    throw isOfFile ? new CommandFailure(`${output}: cannot be written (${(error as Error).message})`) : error;
  } finally {
    await rm(partial, { force: true });
  }
}
