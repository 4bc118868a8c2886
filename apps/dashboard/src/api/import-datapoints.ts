import type { ImportLine, ImportResult } from '@spandrel/contract';
import { errorOfAnswer, unreachable, type ApiError } from './api-error.js';
import { goToSignIn } from './go-to-sign-in.js';

/** How far an import is: bytes that were sent, then rows that were read. */
export type ImportProgress = { kind: 'sent'; bytes: number; total: number } | { kind: 'read'; rows: number };

export interface ImportOptions {
  /** Leaves rows with faults out, in place of refusing the file. */
  skipsFaults: boolean;
  /** Ends the import; nothing of the file is imported then. */
  signal: AbortSignal;
  onProgress(progress: ImportProgress): void;
}

/**
 * `POST /api/datasets/:id/import` with its progress. `fetch` does not say how much of a body was sent.
 * @throws ApiError; what `signal` was aborted with.
 */
export function importDatapoints(datasetId: string, file: File, options: ImportOptions): Promise<ImportResult> {
  const { skipsFaults, signal, onProgress } = options;
  const request = new XMLHttpRequest();
  const body = new FormData();
  body.append('file', file, file.name);
  return new Promise((resolve, reject) => {
    const abort = (): void => request.abort();
    signal.addEventListener('abort', abort);
    request.upload.addEventListener('progress', ({ loaded, total }) =>
      onProgress({ kind: 'sent', bytes: loaded, total }),
    );
    request.addEventListener('progress', () => {
      const rows = rowsRead(request.responseText);
      if (rows !== null) onProgress({ kind: 'read', rows });
    });
    request.addEventListener('load', () => {
      if (request.status === 401) goToSignIn();
      const answer = readEnd(request);
      if ('imported' in answer) resolve(answer);
      else reject(answer);
    });
    request.addEventListener('error', () => reject(unreachable()));
    request.addEventListener('abort', () => reject(signal.reason as Error));
    request.addEventListener('loadend', () => signal.removeEventListener('abort', abort));
    const path = `/api/datasets/${encodeURIComponent(datasetId)}/import`;
    request.open('POST', `${path}?on_error=${skipsFaults ? 'skip' : 'reject'}`);
    request.setRequestHeader('Accept', 'application/x-ndjson');
    request.send(body);
  });
}

/** The number in the last whole line that has one. */
function rowsRead(text: string): number | null {
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  const line = lines.findLast((one) => one !== '');
  const read = line === undefined ? undefined : parse(line);
  return isLine(read) && 'rows' in read ? read.rows : null;
}

/** What the import ended with: the last line of its answer, or the whole answer where it was refused at once. */
function readEnd(request: XMLHttpRequest): ImportResult | ApiError {
  const headers = { get: (name: string) => request.getResponseHeader(name) };
  if (request.status !== 200) return errorOfAnswer(request.status, parse(request.responseText), headers);
  const last = parse(request.responseText.trimEnd().split('\n').at(-1) ?? '');
  if (!isLine(last) || !('status' in last)) return unreachable();
  return last.status === 201 ? (last.body as ImportResult) : errorOfAnswer(last.status, last.body, headers);
}

const isLine = (value: unknown): value is ImportLine => typeof value === 'object' && value !== null;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
