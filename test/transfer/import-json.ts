import type { ImportJsonResult, Problem } from '@spandrel/contract';

/** What `POST /api/import/json` answers: the result or what was wrong. */
export interface ImportJsonAnswer {
  status: number;
  body: ImportJsonResult & Problem;
}

/** Imports a raw body. */
export async function importJson(
  baseUrl: string,
  body: string | Uint8Array<ArrayBuffer> | ReadableStream,
  { headers = {}, signal }: { headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<ImportJsonAnswer> {
  return send(baseUrl, {
    headers: { 'content-type': 'application/json', ...headers },
    body,
    ...(signal && { signal }),
    ...(body instanceof ReadableStream && { duplex: 'half' }),
  });
}

/** Imports files of a form. */
export async function importForm(
  baseUrl: string,
  files: readonly { field?: string; name: string; content: string }[],
): Promise<ImportJsonAnswer> {
  const form = new FormData();
  for (const { field = 'file', name, content } of files) form.append(field, new Blob([content]), name);
  return send(baseUrl, { body: form });
}

async function send(baseUrl: string, init: RequestInit): Promise<ImportJsonAnswer> {
  const response = await fetch(`${baseUrl}/api/import/json`, { method: 'POST', ...init });
  return { status: response.status, body: (await response.json()) as ImportJsonAnswer['body'] };
}
