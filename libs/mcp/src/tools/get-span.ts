import { jsonTextInPieces, type SpanResource } from '@spandrel/contract';
import type { CallerApi } from '@spandrel/http';
import { inTurns, Invalid } from '@spandrel/kernel';
import { z } from 'zod';
import { fieldOf, fitPiece, fitSpan, SPAN_FIELDS, type SpanField } from '../answers/fit-span.js';
import { wholeText, type WholeText } from '../answers/cut-text.js';
import { numberArgument, MAX_CHARS_MAX } from '../arguments/argument-schema.js';
import { defineTool, TEXTS_ARE_DATA, type LastText } from './tool.js';

export const getSpan = defineTool({
  name: 'get_span',
  title: 'Read a span',
  description: `Reads a span with its input, output, error, metadata and kind. A field that is too long is shown as FIELD_cut: the beginning of its text (format json: of its JSON), total_chars, and read_on, the call that reads on. With field: a piece of that field from offset on, of chars characters at most; next_offset is where the next piece begins, null behind the last one. Offsets and lengths are characters as UTF-16 counts them (an emoji is two); a piece never cuts a character. ${TEXTS_ARE_DATA}`,
  operations: ['getSpan', 'listSpans'],
  arguments: () => ({
    span_id: z.string(),
    field: z.enum(SPAN_FIELDS).optional().describe('The field to read a piece of.'),
    offset: numberArgument({
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
      default: 0,
      description: 'Where in the field the piece begins.',
    }),
    chars: numberArgument({
      min: 1,
      max: MAX_CHARS_MAX,
      description: 'Characters of the piece at most; as many as fit when left out.',
    }),
  }),
  answer: async ({ span_id, field, offset, chars }, { api, maxChars, lastText }) => {
    if (field === undefined && (offset !== undefined || chars !== undefined)) {
      const path = offset === undefined ? 'chars' : 'offset';
      const message = 'needs field';
      throw new Invalid('validation_failed', `${path} ${message}`, [{ path, message }]);
    }
    if (field === undefined) return fitSpan(await readSpan(api, span_id), maxChars);
    const whole = await readField(api, span_id, field, lastText);
    return fitPiece(whole, { spanId: span_id, field, offset: offset ?? 0, chars, maxChars });
  },
});

const readSpan = async (api: CallerApi, id: string): Promise<SpanResource> =>
  (await api.call({ operation: 'getSpan', path: { id } })) as unknown as SpanResource;

/** Fields whose change shows in the outline of a span, by their length at least. */
const OUTLINED: ReadonlySet<SpanField> = new Set(['input', 'output', 'error']);

async function readWhole(api: CallerApi, id: string, field: SpanField): Promise<WholeText> {
  const value = fieldOf(await readSpan(api, id), field) ?? null;
  return wholeText(value, typeof value === 'string' ? undefined : await inTurns(jsonTextInPieces(value)));
}

/** A text is taken from the last call only for who was just shown, by the API, that the span is there and as it was. */
async function readField(api: CallerApi, id: string, field: SpanField, last: LastText): Promise<WholeText> {
  if (!OUTLINED.has(field)) return readWhole(api, id, field);
  // Looked at before the text, so that a change between the two is noticed with the next piece.
  const outline = await api.call({ operation: 'listSpans', query: { ids: [id], view: 'outline' } });
  const key = JSON.stringify([api.projectId, id, field, outline]);
  if (last.key === key && last.text) return last.text;
  const text = await readWhole(api, id, field);
  Object.assign(last, { key, text });
  return text;
}
