import { z } from 'zod';
import { cursorSchema, limitSchema, queryNumberSchema, repeatable } from './lists.js';
import { payloadNumber } from './numbers.js';
import {
  clientIdSchema,
  isStorableText,
  jsonObjectSchema,
  jsonValueSchema,
  keySchema,
  KEY_LENGTH_MAX,
  nameSchema,
} from './text.js';
import { timestampSchema } from './timestamp.js';
import { statusNameSchema } from './traces.js';

/** What a span is when its creator does not say (contract.md "Spans"). */
export const DEFAULT_SPAN_KIND = { type: 'custom', kind: 'custom', attributes: {} } as const;

const tokenCount = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).nullish();

const llmCallSchema = z.object({
  model: keySchema,
  provider: keySchema.nullish(),
  input_tokens: tokenCount,
  output_tokens: tokenCount,
  cached_input_tokens: tokenCount,
  reasoning_tokens: tokenCount,
  cost: payloadNumber(z.number().min(0).nullish()),
});

const kindTypeSchema = keySchema.min(1);

/**
 * A span's kind: any object with a string `type`, kept whole and by reference; `llm_call` needs a string `model`, and
 * its well-known members need their types.
 */
export const spanKindSchema = z.custom<SpanKind>().superRefine((value: unknown, context) => {
  if (!jsonObjectSchema.safeParse(value).success) {
    context.addIssue({ code: 'custom', message: 'must be an object with a "type"' });
    return;
  }
  const kind = value as Record<string, unknown>;
  const type = kindTypeSchema.safeParse(kind['type']);
  for (const issue of type.error?.issues ?? []) context.addIssue({ ...issue, path: ['type'] } as never);
  if (kind['type'] === 'llm_call') {
    const call = llmCallSchema.safeParse(kind);
    for (const issue of call.error?.issues ?? []) context.addIssue({ ...issue } as never);
  } else {
    for (const member of ['model', 'provider']) {
      const text = kind[member];
      if (typeof text === 'string' && (text.length > KEY_LENGTH_MAX || !isStorableText(text))) {
        context.addIssue({ code: 'custom', path: [member], message: 'is too long or holds NUL or lone surrogates' });
      }
    }
  }
});

export interface SpanKind {
  type: string;
  [member: string]: unknown;
}

/** `POST /api/spans` (service-spec "Spans", contract.md "Spans"). */
export const createSpanSchema = z.object({
  id: clientIdSchema.nullish(),
  trace_id: z.string(),
  parent_id: clientIdSchema.nullish(),
  name: nameSchema,
  kind: spanKindSchema.nullish(),
  input: jsonValueSchema.optional(),
  metadata: jsonObjectSchema.nullish(),
  started_at: timestampSchema.nullish(),
});
export type CreateSpan = z.output<typeof createSpanSchema>;

/** `POST /api/spans/:id/complete`; every member optional. */
export const completeSpanSchema = z.object({
  output: jsonValueSchema.optional(),
  kind: spanKindSchema.nullish(),
  ended_at: timestampSchema.nullish(),
  metadata: jsonObjectSchema.nullish(),
});
export type CompleteSpan = z.output<typeof completeSpanSchema>;

/** `POST /api/spans/:id/fail`. */
export const failSpanSchema = z.object({
  error: z.string(),
  output: jsonValueSchema.optional(),
  kind: spanKindSchema.nullish(),
  ended_at: timestampSchema.nullish(),
});
export type FailSpan = z.output<typeof failSpanSchema>;

export const SPAN_SORT_KEYS = ['started_at', 'duration', 'tokens', 'cost', 'name'] as const;
export type SpanSortKey = (typeof SPAN_SORT_KEYS)[number];
export type SortOrder = 'asc' | 'desc';

/** Query of `GET /api/spans`; all filters combine with AND. */
export const listSpansSchema = z.object({
  trace_id: z.string().optional(),
  parent_id: z.string().optional(),
  session_id: z.string().optional(),
  tag: repeatable(z.string()).optional(),
  kind: z.string().optional(),
  model: z.string().optional(),
  provider: z.string().optional(),
  status: statusNameSchema.optional(),
  since: timestampSchema.optional(),
  until: timestampSchema.optional(),
  name_contains: z.string().optional(),
  text_contains: z.string().optional(),
  input_contains: z.string().optional(),
  output_contains: z.string().optional(),
  duration_min: queryNumberSchema.optional(),
  duration_max: queryNumberSchema.optional(),
  tokens_min: queryNumberSchema.optional(),
  cost_min: queryNumberSchema.optional(),
  sort_by: z.enum(SPAN_SORT_KEYS).default('started_at'),
  sort_order: z.enum(['asc', 'desc']).default('desc'),
  limit: limitSchema(),
  cursor: cursorSchema.optional(),
});
export type ListSpans = z.output<typeof listSpansSchema>;

/** A span's status on the wire; existing clients parse exactly this form (contract.md "Spans"). */
export type SpanStatus = 'running' | 'completed' | { failed: { error: string } };

export interface SpanResource {
  id: string;
  trace_id: string;
  parent_id: string | null;
  name: string;
  kind: SpanKind;
  input: unknown;
  output: unknown;
  status: SpanStatus;
  error: string | null;
  started_at: string;
  ended_at: string | null;
  metadata: Record<string, unknown>;
}
