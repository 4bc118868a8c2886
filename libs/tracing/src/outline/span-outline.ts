import { formatTimestamp, type SpanOutline } from '@spandrel/contract';
import { shownKind, shownMetadata, shownStatus } from '../span-json.js';
import type { SpanRow, StoredSpan } from '../span.entity.js';
import { inputPreview, outputPreview, PREVIEWED_BYTES_MAX, type Previewed } from './preview-text.js';

/** A span without its texts, as it is read. */
export type OutlinedSpan = Readonly<
  SpanRow &
    Pick<StoredSpan, 'kind' | 'error' | 'coldDigest'> & {
      /** Bytes of the JSON text; 0 when there is none. */
      inputBytes: number;
      outputBytes: number;
      inputPreview: string | null;
      outputPreview: string | null;
    }
>;

/** The outline of a span as the wire shows it (docs/spec/outlines.md#the-outline-of-a-span). */
export function spanOutline(span: OutlinedSpan): SpanOutline {
  const { attributes: _attributes, ...kind } = shownKind(span);
  return {
    id: span.id,
    trace_id: span.traceId,
    parent_id: span.parentId,
    name: span.name,
    kind,
    ...shownStatus(span),
    started_at: formatTimestamp(span.startedAt),
    ended_at: span.endedAt === null ? null : formatTimestamp(span.endedAt),
    metadata: shownMetadata({ ...span, metadata: null }),
    input_bytes: span.inputBytes,
    output_bytes: span.outputBytes,
    input_preview: span.inputPreview,
    output_preview: span.outputPreview,
  };
}

/** The outline of a span that was read whole. @param preview code points of its previews. */
export function outlineOf({ input, output, metadata: _metadata, ...span }: StoredSpan, preview: number): OutlinedSpan {
  const [inputBytes, outputBytes] = [bytesOf(input), bytesOf(output)];
  return withPreviews({ ...span, ...NO_PREVIEW, inputBytes, outputBytes }, { input, output }, preview);
}

export const NO_PREVIEW = { inputPreview: null, outputPreview: null };

/**
 * An outline with its previews.
 * @param texts the JSON of its input and output, or, of those larger than {@link PREVIEWED_BYTES_MAX}, the beginning.
 * @param codePoints of each preview. @param asTalk whether anything but a question or an answer is nothing.
 */
export function withPreviews(
  span: OutlinedSpan,
  texts: { input: string | null; output: string | null },
  codePoints: number,
  asTalk = false,
): OutlinedSpan {
  const isLlmCall = span.kindType === 'llm_call';
  const previewed = (json: string | null, bytes: number): Previewed => ({
    json,
    isWhole: bytes <= PREVIEWED_BYTES_MAX,
    isLlmCall,
    asTalk,
  });
  return {
    ...span,
    inputPreview: inputPreview(previewed(texts.input, span.inputBytes), codePoints),
    outputPreview: outputPreview(previewed(texts.output, span.outputBytes), codePoints),
  };
}

const bytesOf = (text: string | null): number => (text === null ? 0 : Buffer.byteLength(text));
