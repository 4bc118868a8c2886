import { captured } from '../recording/capture.js';
import { keepNumber } from '../recording/map-texts.js';
import type { RecordedSpan } from '../recording/build-recording.js';
import { SpoolItem } from './spool-item.js';

/** Largest JSON of a span that is sent; the API's own limit for a body is 10 MiB by default. */
export const SPAN_CHARS_MAX = 6 * 1024 * 1024;

/** Below this a recording that is too large is not shortened again but stripped. */
const SHORTENED_CHARS_MIN = 16 * 1024;

/** How long the texts of a span may be, in code points, tried in turn until the whole fits. */
const TEXT_LENGTHS = [1_048_576, 262_144, 65_536, 16_384, 4_096, 1_024, 128];

/**
 * A span cut down until its JSON has at most so many characters: its texts first, then input and output whole.
 * `metadata.truncated` tells.
 */
export function fitSpan(span: RecordedSpan, json: string, charsMax: number): string {
  if (json.length <= charsMax) return json;
  for (const codePoints of TEXT_LENGTHS) {
    const short = (value: unknown): unknown => captured(value, { mode: 'preview', chars: codePoints });
    const shorter = JSON.stringify({
      ...span,
      input: short(span.input),
      output: short(span.output),
      metadata: marked(short(span.metadata)),
    });
    if (shorter.length <= charsMax) return shorter;
  }
  return JSON.stringify(withoutContent(span));
}

/**
 * The form of an item that is tried when the API has refused it: shorter texts where it was too large; else, and when
 * little is left to shorten, without input, output and parameters, which hold what may be too deep or not storable.
 * @returns `null` when nothing is left to take off.
 */
export function reduceItem(item: SpoolItem, tooLarge: boolean): SpoolItem | null {
  if (item.reduced) return null;
  const whole = JSON.parse(item.span, keepNumber) as RecordedSpan;
  if (tooLarge && item.span.length > SHORTENED_CHARS_MIN) {
    return new SpoolItem(
      item.caller,
      item.id,
      item.trace,
      fitSpan(whole, item.span, item.span.length >> 1),
      item.finished,
    );
  }
  return new SpoolItem(item.caller, item.id, item.trace, JSON.stringify(withoutContent(whole)), item.finished, true);
}

function withoutContent({ input: _input, output: _output, ...span }: RecordedSpan): RecordedSpan {
  const { request: _request, ...metadata } = span.metadata;
  return { ...span, metadata: { ...metadata, truncated: true } };
}

const marked = (metadata: unknown): Record<string, unknown> => ({
  ...(metadata as Record<string, unknown>),
  truncated: true,
});
