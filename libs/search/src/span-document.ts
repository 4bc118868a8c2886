import type { SearchDocument } from '@spandrel/plugin-api';
import { fromJsonText } from '@spandrel/storage';
import { statusName, type StoredSpan, type TraceFacts } from '@spandrel/tracing';

/** A span as the index keeps it, and the text that its vector is made of. */
export interface SpanDocument extends SearchDocument {
  embedded: string;
}

/** @param facts those of its trace; absent when that is just being deleted. */
export function documentOf(span: StoredSpan, facts: TraceFacts | undefined): SpanDocument {
  const { text, embedded } = spanText(span);
  return {
    id: span.id,
    text,
    // Endpoints refuse the empty text.
    embedded: embedded === '' ? span.kindType : embedded,
    fields: {
      trace_id: span.traceId,
      session_id: facts?.sessionId ?? null,
      kind: span.kindType,
      model: span.model,
      provider: span.provider,
      status: statusName(span.status),
      tags: facts?.tags ?? [],
      started_at: span.startedAt,
    },
  };
}

/** Characters of a span that the index keeps at most, and those that a vector is made of. */
const TEXT_LENGTH_MAX = 20_000;
const EMBEDDED_LENGTH_MAX = 4_000;

/** The share of {@link EMBEDDED_LENGTH_MAX} that the output may take when the input is long too. */
const OUTPUT_SHARE = 0.4;

export interface SpanText {
  text: string;
  /** The beginning of each part, short enough for embedding models. */
  embedded: string;
}

/**
 * Name, and every text, number and boolean of input and output, as `text_contains` sees them
 * (docs/spec/search.md#what-is-searched).
 */
export function spanText({ name, input, output }: Pick<StoredSpan, 'name' | 'input' | 'output'>): SpanText {
  const parts = { name, input: valuesOf(fromJsonText(input)), output: valuesOf(fromJsonText(output)) };
  return { text: composed(parts, TEXT_LENGTH_MAX), embedded: composed(parts, EMBEDDED_LENGTH_MAX) };
}

/** The first characters of a text, no surrogate pair cut in two. @param length in UTF-16 units. */
export const cutText = (text: string, length: number): string =>
  text.length <= length ? text : text.slice(0, length).replace(/[\ud800-\udbff]$/, '');

/** Text that every index and endpoint can take. */
export const cleanText = (text: string): string => text.replaceAll('\0', ' ').toWellFormed();

function composed(parts: { name: string; input: string; output: string }, lengthMax: number): string {
  const name = cutText(parts.name, lengthMax / 4);
  const rest = lengthMax - name.length;
  const outputLength = Math.max(rest * OUTPUT_SHARE, rest - parts.input.length);
  const output = cutText(parts.output, Math.floor(outputLength));
  const input = cutText(parts.input, rest - output.length);
  return cleanText([name, input, output].filter((part) => part !== '').join('\n'));
}

/** The values of a JSON value, a line each, up to {@link TEXT_LENGTH_MAX}. */
function valuesOf(value: unknown): string {
  const found: string[] = [];
  let left = TEXT_LENGTH_MAX;
  const take = (text: string): void => {
    if (text === '') return;
    found.push(cutText(text, left));
    left -= text.length + 1;
  };
  const walk = (item: unknown): void => {
    if (left <= 0) return;
    if (typeof item === 'string') take(item);
    else if (typeof item === 'number' || typeof item === 'boolean') take(String(item));
    else if (typeof item !== 'object' || item === null) return;
    else if (JSON.isRawJSON(item)) take(item.rawJSON);
    else for (const member of Object.values(item)) walk(member);
  };
  walk(value);
  return found.join('\n');
}
