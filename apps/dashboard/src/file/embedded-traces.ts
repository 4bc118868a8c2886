import type { BundleManifest, DatapointResource, ScoreResource, SpanOutline, TraceListItem } from '@spandrel/contract';
import type { AnswerRequest } from '../api/share-token.js';

/** The traces that this page has in its own file, answered as the API would (docs/replay.md#one-file). */
export const MANIFEST = JSON.parse(document.querySelector('script[data-manifest]')!.textContent) as BundleManifest;

interface TraceInFile {
  trace: TraceListItem;
  spans: SpanOutline[];
  scores?: ScoreResource[];
}

/** Datapoints that were made from spans of the traces. */
export type DatapointInFile = DatapointResource & { trace_id: string; dataset_name: string };

/** Remembers what a function answers. */
function once<Answer>(read: () => Promise<Answer>): () => Promise<Answer> {
  let answer: Promise<Answer> | undefined;
  return () => (answer ??= read());
}

/** @throws Error for a part that is not as it was written. */
async function readPart(name: string): Promise<string> {
  const part = MANIFEST.parts.find((one) => one.name === name);
  const text = document.querySelector(`script[data-part="${name}"]`)?.textContent ?? '';
  const bytes = bytesOf(text.trim());
  // A page that came by plain http cannot make digests.
  const digest = (await globalThis.crypto.subtle?.digest('SHA-256', bytes)) as ArrayBuffer | undefined;
  if (!part || (digest && hexOf(digest) !== part.sha256)) {
    throw new Error(`The part "${name}" of this file was changed after the file was made.`);
  }
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

const hexOf = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');

const traces = new Map(MANIFEST.traces.map(({ id }, index) => [id, once(() => readPart(`trace-${index}`))] as const));

/** A line of the export holds one item. */
const SPAN_LINE = /^\{"id":("(?:[^"\\]|\\.)*"),"trace_id":/;

/** The JSON of each span by its id. */
const spans = once(async () => {
  const found = new Map<string, string>();
  for (const line of (await readPart('export')).split('\n')) {
    const [, id] = SPAN_LINE.exec(line) ?? [];
    if (id !== undefined) found.set(JSON.parse(id) as string, line.replace(/,$/, ''));
  }
  return found;
});

/** The datapoints that were made from spans of the traces. */
export const datapointsInFile = once(async () => JSON.parse(await readPart('datapoints')) as DatapointInFile[]);

/** Facts of the traces, in the order of the file. */
export const tracesInFile = once(() =>
  Promise.all([...traces.values()].map(async (read) => (JSON.parse(await read()) as TraceInFile).trace)),
);

/** Spans that are looked through before the page has its turn. */
const SLICE = 500;

/** Ids of the spans of a trace that have a text in their input or output. */
async function findSpans(traceId: string, sought: string): Promise<string[]> {
  const read = traces.get(traceId);
  const wanted = sought.toLowerCase();
  const found: string[] = [];
  const all = await spans();
  const outlines = read ? (JSON.parse(await read()) as TraceInFile).spans : [];
  for (const [index, { id }] of outlines.entries()) {
    if (index % SLICE === SLICE - 1) await new Promise((resolve) => setTimeout(resolve));
    const { input, output } = JSON.parse(all.get(id) ?? '{}') as Record<string, unknown>;
    if (textsOf([input, output]).toLowerCase().includes(wanted)) found.push(id);
  }
  return found;
}

/** The texts within a value, each on a line of its own. */
function textsOf(value: unknown): string {
  const texts: string[] = [];
  JSON.stringify(value, (name, member: unknown) => {
    if (typeof member !== 'object' || member === null) texts.push(`${name}: ${String(member)}`);
    return member;
  });
  return texts.join('\n');
}

const json = (text: string): Response => new Response(text, { headers: { 'content-type': 'application/json' } });

const answer: AnswerRequest = async (address) => {
  const { pathname, searchParams: query } = new URL(address);
  const [, kind, id] = /^\/api\/(traces|spans|scores)(?:\/([^/]+))?$/.exec(pathname) ?? [];
  const traceId = kind === 'traces' && id !== undefined ? decodeURIComponent(id) : (query.get('trace_id') ?? '');
  const trace = await traces.get(traceId)?.();
  if (kind === 'traces' && trace !== undefined) return json(trace);
  if (kind === 'scores' && trace !== undefined) {
    const { scores = [] } = JSON.parse(trace) as TraceInFile;
    return json(JSON.stringify({ scores, count: scores.length, next_cursor: null }));
  }
  if (kind === 'spans' && id === undefined) {
    const found = await findSpans(traceId, query.get('text_contains') ?? '');
    return json(JSON.stringify({ spans: found.map((one) => ({ id: one })), count: found.length, next_cursor: null }));
  }
  const span = kind === 'spans' ? (await spans()).get(decodeURIComponent(id ?? '')) : undefined;
  if (span !== undefined) return json(span);
  const problem = {
    status: 404,
    code: 'not_found',
    title: 'There is nothing here',
    detail: 'this file does not have it',
  };
  return new Response(JSON.stringify(problem), {
    status: 404,
    headers: { 'content-type': 'application/problem+json' },
  });
};

// Before any other part of the page is read (api/share-token.ts).
(globalThis as { spandrelTraces?: AnswerRequest }).spandrelTraces = answer;
