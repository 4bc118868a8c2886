import { KEY_LENGTH_MAX, NAME_LENGTH_MAX, type DatapointKind } from '@spandrel/contract';
import type { MaskingCalls, MemberFields } from './masking.js';

/** Members of a kind by which spans are counted, priced and found; they stay as they are. */
const COUNTED: MemberFields = Object.fromEntries(
  'type model provider cost input_tokens output_tokens cached_input_tokens reasoning_tokens'
    .split(' ')
    .map((name) => [name, null]),
);

type Json = Record<string, unknown>;

/** The members of a span, of its start or of its end, that hold text of applications and models; as the wire has them. */
interface SpanTexts {
  name?: string;
  kind?: Json | null | undefined;
  input?: unknown;
  output?: unknown;
  error?: string | null | undefined;
  status?: string | { failed: { error: string } } | null | undefined;
  metadata?: Json | null | undefined;
}

/** A span, or what a request says of one, as it may be stored; members that are not there stay away. */
export function maskSpan<Span extends SpanTexts>(masking: MaskingCalls, span: Span): Span {
  const masked: SpanTexts = { ...span };
  if (typeof span.name === 'string') masked.name = masking.text(span.name, 'name', NAME_LENGTH_MAX);
  if (span.kind) masked.kind = masking.members(span.kind, COUNTED, 'metadata');
  if (span.input !== undefined) masked.input = masking.json(span.input, 'input');
  if (span.output !== undefined) masked.output = masking.json(span.output, 'output');
  if (span.metadata) masked.metadata = masking.json(span.metadata, 'metadata');
  if (typeof span.error === 'string') masked.error = masking.text(span.error, 'error');
  const { status } = span;
  if (typeof status === 'object' && status !== null) {
    masked.status = { failed: { error: masking.text(status.failed.error, 'error') } };
  }
  return masked as Span;
}

/** The members of a trace that hold text of applications; as the wire has them. */
interface TraceTexts {
  name?: string | null | undefined;
  session_id?: string | null | undefined;
  user_id?: string | null | undefined;
  tags?: string[] | null | undefined;
  metadata?: Json | null | undefined;
  defaults?: { name?: string | null | undefined } | null | undefined;
}

/** A trace, or what a request says of one, as it may be stored; members that are not there stay away. */
export function maskTrace<Trace extends TraceTexts>(masking: MaskingCalls, trace: Trace): Trace {
  const masked: TraceTexts = { ...trace };
  if (typeof trace.name === 'string') masked.name = masking.text(trace.name, 'name', NAME_LENGTH_MAX);
  if (typeof trace.session_id === 'string') masked.session_id = maskKey(masking, trace.session_id);
  if (typeof trace.user_id === 'string') masked.user_id = maskKey(masking, trace.user_id);
  if (trace.tags) masked.tags = trace.tags.map((tag) => maskKey(masking, tag));
  if (trace.metadata) masked.metadata = masking.json(trace.metadata, 'metadata');
  if (typeof trace.defaults?.name === 'string') {
    masked.defaults = { ...trace.defaults, name: masking.text(trace.defaults.name, 'name', NAME_LENGTH_MAX) };
  }
  return masked as Trace;
}

interface ScoreTexts {
  session_id?: string | null | undefined;
  comment?: string | null | undefined;
  metadata?: Json | null | undefined;
  revisions?: { comment?: string | null | undefined }[] | undefined;
}

/** A score as it may be stored or shown. */
export const maskScore = <Score extends ScoreTexts>(masking: MaskingCalls, score: Score): Score => ({
  ...score,
  ...(score.session_id && { session_id: maskKey(masking, score.session_id) }),
  ...(score.comment && { comment: masking.text(score.comment, 'output') }),
  ...(score.metadata && { metadata: masking.json(score.metadata, 'metadata') }),
  ...(score.revisions && {
    revisions: score.revisions.map((earlier) => ({ ...earlier, comment: masking.text(earlier.comment, 'output') })),
  }),
});

/** What a reviewer answered, as it may be stored. */
export const maskAnswers = <
  Review extends Pick<ScoreTexts, 'comment'> & { scores?: Pick<ScoreTexts, 'comment'>[] | null | undefined },
>(
  masking: MaskingCalls,
  review: Review,
): Review => ({
  ...review,
  comment: masking.text(review.comment, 'output'),
  scores: review.scores?.map((score) => ({ ...score, comment: masking.text(score.comment, 'output') })),
});

/** A value that traces are found by, such as a user: the same value becomes the same mask. */
export const maskKey = (masking: MaskingCalls, key: string): string => masking.text(key, 'identity', KEY_LENGTH_MAX);

/** The field of each member of a datapoint; all others are metadata, and their names may hold a value too. */
const FIELDS: MemberFields = {
  input: 'input',
  messages: 'input',
  expected: 'output',
  expected_output: 'output',
  actual_output: 'output',
  metadata: 'metadata',
  score: null,
};

/** A datapoint's kind as it may be stored. */
export function maskDatapoint(masking: MaskingCalls, kind: DatapointKind): DatapointKind {
  const [variant, content] = Object.entries(kind)[0] as [string, Record<string, unknown>];
  return { [variant]: masking.members(content, FIELDS, 'metadata') } as unknown as DatapointKind;
}

/** What a reviewer handed in, as it may be stored: a datapoint's kind, or any other JSON, of which nobody knows what it is. */
export function maskReviewed(masking: MaskingCalls, data: unknown): unknown {
  if (typeof data === 'object' && data !== null) {
    const [member, ...others] = Object.entries(data);
    const isKind = member !== undefined && others.length === 0 && VARIANTS.has(member[0]);
    if (isKind && typeof member[1] === 'object' && member[1] !== null)
      return maskDatapoint(masking, data as DatapointKind);
  }
  return masking.json(data, 'input', 'output');
}

const VARIANTS: ReadonlySet<string> = new Set(['Generic', 'LlmConversation']);
