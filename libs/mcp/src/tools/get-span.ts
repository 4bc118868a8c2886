import { jsonTextInPieces, type SpanResource, memberNames, type ScoreResource } from '@spandrel/contract';
import type { CallerApi } from '@spandrel/http';
import { inTurns, Invalid } from '@spandrel/kernel';
import { z } from 'zod';
import { wholeText, type WholeText, pieceOf, type TextPiece } from '../answers/cut-text.js';
import { numberArgument, MAX_CHARS_MAX } from '../arguments/argument-schema.js';
import { defineTool, TEXTS_ARE_DATA, type LastText } from './tool.js';
import { slim, tooSmall } from '../answers/slim.js';

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

/** The members of a span that may be of any length, in the order in which they are shown. */
export const SPAN_FIELDS = ['error', 'input', 'output', 'metadata', 'kind'] as const;
type SpanField = (typeof SPAN_FIELDS)[number];

/** The value of a field; `undefined` for one that is not there. */
export function fieldOf(span: SpanResource, field: SpanField): unknown {
  const value = span[field];
  const isEmpty =
    value === null || (field === 'metadata' && typeof value === 'object' && memberNames(value).length === 0);
  return isEmpty ? undefined : value;
}

const readOn = (spanId: string, field: SpanField, offset: number): object => ({
  tool: 'get_span',
  arguments: { span_id: spanId, field, offset },
});

type ShownSpan = SpanResource & { scores?: readonly ScoreResource[] };

function scoresThatFit(scores: ShownSpan['scores'] = [], room: number): object {
  const shown: unknown[] = [];
  for (const { name, value, label, comment, source } of scores) {
    const next = slim({ name, value, label, comment, source });
    if (JSON.stringify([...shown, next]).length > room) break;
    shown.push(next);
  }
  return { scores: shown, scores_left_out: scores.length - shown.length || undefined };
}

/** Writes a span: its fields whole as far as they fit, else the beginning with the call that reads on. @throws Invalid */
export async function fitSpan(span: ShownSpan, maxChars: number): Promise<string> {
  const { id, trace_id, parent_id, name, status, started_at, ended_at } = span;
  const state = typeof status === 'string' ? status : 'failed';
  const about = { id, trace_id, parent_id, name, status: state, started_at, ended_at };
  const head = slim({ ...about, ...scoresThatFit(span.scores, maxChars / 4) });
  const shown = head as Record<string, unknown>;
  const fields: { field: SpanField; value: unknown; json: string; length: number }[] = [];
  for (const field of SPAN_FIELDS) {
    const value = fieldOf(span, field);
    if (value === undefined) continue;
    const json = await inTurns(jsonTextInPieces(value));
    fields.push({ field, value, json, length: `,"${field}":`.length + json.length });
  }
  let left = maxChars - JSON.stringify(head).length;
  // The shortest first: what a short one leaves of its share the longer ones get.
  let waiting = fields.length;
  for (const { field, value, json, length } of fields.toSorted((a, b) => a.length - b.length)) {
    const share = Math.floor(left / waiting--);
    if (length <= share) shown[field] = value;
    else shown[`${field}_cut`] = cutField(id, field, wholeText(value, json), share);
    left -= JSON.stringify({ [field]: shown[field], [`${field}_cut`]: shown[`${field}_cut`] }).length - 1;
  }
  const text = JSON.stringify(inOrder(shown));
  if (text.length > maxChars) throw tooSmall(text.length);
  return text;
}

function cutField(spanId: string, field: SpanField, whole: WholeText, share: number): object {
  const frame = { ...pieceOf(whole, 0, 0), offset: undefined, next_offset: undefined };
  const framed = JSON.stringify({ [`${field}_cut`]: { ...frame, read_on: readOn(spanId, field, whole.text.length) } });
  const { format, total_chars, text, next_offset } = pieceOf(whole, 0, share - framed.length);
  return { format, total_chars, text, read_on: readOn(spanId, field, next_offset ?? total_chars) };
}

function inOrder(shown: Readonly<Record<string, unknown>>): object {
  const names = SPAN_FIELDS.flatMap((field) => [field, `${field}_cut`]);
  const others = Object.entries(shown).filter(([name]) => !names.includes(name));
  return Object.fromEntries([...others, ...names.flatMap((name) => (name in shown ? [[name, shown[name]]] : []))]);
}

interface PieceToFit {
  spanId: string;
  field: SpanField;
  /** UTF-16 units into the field's text. */
  offset: number;
  chars: number | undefined;
  maxChars: number;
}

/** Writes a piece of a field. @param whole the field's text. @returns compact JSON of `maxChars` UTF-16 units at most. */
export function fitPiece(whole: WholeText, { spanId, field, offset, chars, maxChars }: PieceToFit): string {
  const write = (piece: TextPiece): string =>
    JSON.stringify({
      span_id: spanId,
      field,
      ...piece,
      ...(piece.next_offset !== null && { read_on: readOn(spanId, field, piece.next_offset) }),
    });
  const end = whole.text.length;
  const longest = { ...pieceOf(whole, end, 0), offset: end, next_offset: end };
  const room = maxChars - write(longest).length;
  return write(pieceOf(whole, offset, room, chars));
}
