import type { ImportBundleResult, ImportJsonResult, ImportLine, ImportResult } from '@spandrel/contract';
import { readError } from '@spandrel/sdk/api';
import { unreachable } from './api-error.js';
import { BASE } from './project-base.js';
import { goToSignIn } from './go-to-sign-in.js';

interface UploadOptions {
  headers: Readonly<Record<string, string>>;
  body: File | FormData;
  signal?: AbortSignal;
  onSent(bytes: number, total: number): void;
  /** Called with the part of the answer that has come. */
  onAnswer?(text: string): void;
}

/**
 * Sends a file with its progress: `fetch` does not say how much of a body was sent.
 * @returns the text of a successful answer.
 * @throws SpandrelError; what `signal` was aborted with.
 */
function upload(address: string, { headers, body, signal, onSent, onAnswer }: UploadOptions): Promise<string> {
  const request = new XMLHttpRequest();
  return new Promise((resolve, reject) => {
    const abort = (): void => request.abort();
    signal?.addEventListener('abort', abort);
    request.upload.addEventListener('progress', ({ loaded, total }) => onSent(loaded, total));
    request.addEventListener('progress', () => onAnswer?.(request.responseText));
    request.addEventListener('load', () => {
      if (request.status === 401) goToSignIn();
      if (request.status === 200) resolve(request.responseText);
      else reject(errorOf(request.status, request.responseText, request));
    });
    request.addEventListener('error', () => reject(unreachable()));
    request.addEventListener('abort', () => reject(signal?.reason as Error));
    request.addEventListener('loadend', () => signal?.removeEventListener('abort', abort));
    request.open('POST', BASE + address);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.send(body);
  });
}

const errorOf = (status: number, text: string, request: XMLHttpRequest): Error =>
  readError({ status, headers: { get: (name) => request.getResponseHeader(name) } }, text);

/**
 * `POST /api/import/json`: takes the file of an export back.
 * @param onSent share of the file that was sent, from 0 to 1.
 * @throws SpandrelError; nothing was imported then.
 */
export async function importEverything(file: File, onSent: (share: number) => void): Promise<ImportJsonResult> {
  const text = await upload('/api/import/json', {
    headers: { 'Content-Type': 'application/json' },
    body: file,
    onSent: (bytes, total) => onSent(total === 0 ? 1 : bytes / total),
  });
  return JSON.parse(text) as ImportJsonResult;
}

/**
 * `POST /api/import/bundle`: takes the traces of an HTML file in. @returns their ids.
 * @throws SpandrelError; nothing was imported then.
 */
export async function importBundle(file: File): Promise<readonly string[]> {
  const headers = { 'Content-Type': 'text/html' };
  const text = await upload('/api/import/bundle', { headers, body: file, onSent: () => undefined });
  return (JSON.parse(text) as ImportBundleResult).trace_ids;
}

/** How far an import is: bytes that were sent, then rows that were read. */
export type ImportProgress = { kind: 'sent'; bytes: number; total: number } | { kind: 'read'; rows: number };

interface ImportOptions {
  /** Leaves rows with faults out, in place of refusing the file. */
  skipsFaults: boolean;
  dedupes: boolean;
  /** Datapoints that the file does not have go. */
  replaces: boolean;
  /** Ends the import; nothing of the file is imported then. */
  signal: AbortSignal;
  onProgress(progress: ImportProgress): void;
}

/**
 * `POST /api/datasets/:id/import`, which answers lines: how many rows were read, at last what came of it.
 * @throws SpandrelError; what `signal` was aborted with.
 */
export async function importDatapoints(id: string, file: File, options: ImportOptions): Promise<ImportResult> {
  const { skipsFaults, dedupes, replaces, signal, onProgress } = options;
  const body = new FormData();
  body.append('file', file, file.name);
  const how = `on_error=${skipsFaults ? 'skip' : 'reject'}&dedupe=${dedupes}&replace=${replaces}`;
  const text = await upload(`/api/datasets/${encodeURIComponent(id)}/import?${how}`, {
    headers: { Accept: 'application/x-ndjson' },
    body,
    signal,
    onSent: (bytes, total) => onProgress({ kind: 'sent', bytes, total }),
    onAnswer: (answer) => {
      const line = lastLine(answer.slice(0, answer.lastIndexOf('\n') + 1));
      if (line !== null && 'rows' in line) onProgress({ kind: 'read', rows: line.rows });
    },
  });
  const end = lastLine(text);
  if (end === null || !('status' in end)) throw unreachable();
  if (end.status === 201) return end.body as ImportResult;
  throw readError({ status: end.status, headers: new Headers() }, JSON.stringify(end.body));
}

function lastLine(text: string): ImportLine | null {
  try {
    const line = JSON.parse(text.trimEnd().split('\n').at(-1) ?? '') as ImportLine | null;
    return typeof line === 'object' ? line : null;
  } catch {
    return null;
  }
}
