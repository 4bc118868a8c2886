import type { ImportResult, Problem } from '@spandrel/contract';
import { checkedFetch } from './checked-fetch.ts';

/** What an import answers: the result or what was wrong. */
export interface ImportAnswer {
  status: number;
  body: ImportResult & Problem;
}

export interface UploadOptions {
  /** Behind `?`. */
  query?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Imports a raw body. @param type its media type. */
export function uploadRaw(
  baseUrl: string,
  datasetId: string,
  type: string,
  body: string | Uint8Array<ArrayBuffer> | ReadableStream,
  { query = '', headers = {}, signal }: UploadOptions = {},
): Promise<ImportAnswer> {
  return send(`${baseUrl}/api/datasets/${datasetId}/import?${query}`, {
    headers: { 'content-type': type, ...headers },
    body,
    ...(signal && { signal }),
    ...(body instanceof ReadableStream && { duplex: 'half' }),
  });
}

/** Imports a file by a form. */
export function uploadForm(
  baseUrl: string,
  datasetId: string,
  files: readonly { field?: string; name: string; content: string | Uint8Array<ArrayBuffer>; type?: string }[],
  query = '',
  headers: Record<string, string> = {},
): Promise<ImportAnswer> {
  const form = new FormData();
  for (const { field = 'file', name, content, type = '' } of files)
    form.append(field, new Blob([content], { type }), name);
  return send(`${baseUrl}/api/datasets/${datasetId}/import?${query}`, { headers, body: form });
}

async function send(url: string, init: RequestInit): Promise<ImportAnswer> {
  const response = await checkedFetch(url, { method: 'POST', ...init });
  return { status: response.status, body: (await response.json()) as ImportAnswer['body'] };
}
