import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { Readable } from 'node:stream';
import type { ClientCall } from '../client-command.js';
import { UsageFault } from '../exit-codes.js';
import { oneLine } from '../output/clean-text.js';
import { readAnswer } from '../read-answer.js';
import { requestOf } from './request-of.js';

/** Options of `spandrel api`. */
export interface ApiOptions {
  file?: string;
  header?: string[];
  include?: boolean;
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.jsonl': 'application/x-ndjson',
  '.ndjson': 'application/x-ndjson',
  '.gz': 'application/gzip',
};

/** Answers come when they come: a delete of everything, an import. */
const ANSWER_MS_MAX = 600_000;

/** Sends one request to any endpoint and shows what it answers. */
export async function callApi(
  { api, out, io, options: { file, header = [], include } }: ClientCall<ApiOptions>,
  methodName: string,
  pathText: string,
  parameters: readonly string[],
): Promise<void> {
  const { method, path, query, body } = requestOf(methodName, pathText, parameters, file !== undefined);
  const headers = { ...(file !== undefined && { 'content-type': mediaTypeOf(file) }), ...headersOf(header) };
  const content = file === undefined ? body : await contentOf(file, io.stdin);
  const answer = await api.raw(method, path, {
    query,
    headers,
    body: content,
    timeoutMs: ANSWER_MS_MAX,
    // Who calls by hand sees what one call does.
    retry: false,
  });
  if (include === true) {
    const lines = [...answer.headers].map(([name, value]) => `${name}: ${oneLine(value)}`);
    await out.lines([`HTTP ${answer.status}`, ...lines, '']);
  }
  if (answer.body === null) return;
  const type = answer.headers.get('content-type') ?? '';
  if (!/json/.test(type)) await out.stream(answer.body, 'text');
  else if (/ndjson/.test(type) || !out.isTerminal) await out.stream(answer.body, 'json');
  else await out.document(await readAnswer(answer));
}

const mediaTypeOf = (file: string): string => MEDIA_TYPES[extname(file).toLowerCase()] ?? 'application/json';

async function contentOf(file: string, stdin: Readable): Promise<Uint8Array | ReadableStream<Uint8Array>> {
  if (file === '-') return Readable.toWeb(stdin) as ReadableStream<Uint8Array>;
  return readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new UsageFault(`${file}: cannot be read (${error.code})`);
  });
}

function headersOf(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):([\t\x20-\x7e]*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new UsageFault(`-H: "${line}" must be name: value`);
    headers[name.toLowerCase()] = value.trim();
  }
  return headers;
}
