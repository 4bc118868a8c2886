import { z } from 'zod';
import { idsSchema, listAnswer, metadataFilterSchema, queryNumberSchema, repeatable, paging } from './lists.js';
import { amountSchema, costSchema, countSchema, numberAsDouble } from './values/numbers.js';
import {
  clientIdSchema,
  isStorableText,
  jsonMapSchema,
  jsonObjectSchema,
  jsonValueSchema,
  keySchema,
  KEY_LENGTH_MAX,
  nameSchema,
} from './values/text.js';
import { listedScores, scoreFiltersSchema, sortKeySchema, scoresOf, scoresOfTrace } from './scores.js';
import { timestampSchema, timestampTextSchema } from './values/timestamp.js';
import { statusNameSchema, traceListItemSchema } from './traces.js';

/** What a span is when its creator does not say (docs/spec/spans.md#kinds). */
export const DEFAULT_SPAN_KIND = { type: 'custom', kind: 'custom', attributes: {} } as const;

/** The model of a call that names none. */
export const UNKNOWN_MODEL = 'unknown';

const tokenCount = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).nullish();

const llmCallSchema = z.object({
  model: keySchema,
  provider: keySchema.nullish(),
  input_tokens: tokenCount.describe('Tokens of the input, those read from and written to a cache included.'),
  output_tokens: tokenCount.describe('Tokens of the output, those of reasoning included.'),
  cached_input_tokens: tokenCount.describe('Input tokens read from a cache.'),
  cache_write_tokens: tokenCount.describe('Input tokens written to a cache.'),
  cache_write_1h_tokens: tokenCount.describe('Written tokens that are kept for an hour.'),
  reasoning_tokens: tokenCount,
  input_audio_tokens: tokenCount,
  output_audio_tokens: tokenCount,
  input_image_tokens: tokenCount,
  output_image_tokens: tokenCount,
  cached_audio_tokens: tokenCount.describe('Audio among the cached tokens.'),
  cached_image_tokens: tokenCount.describe('Images among the cached tokens.'),
  web_search_requests: tokenCount,
  service_tier: keySchema.nullish().describe('What the provider served: `flex`, `priority`, `batch` …'),
  cost: numberAsDouble(z.number().min(0).nullish()).describe('Dollars; by the price table when left out.'),
});

const kindTypeSchema = keySchema.min(1);

const describedKind = z.union([
  llmCallSchema
    .extend({ type: z.literal('llm_call') })
    .loose()
    .meta({ title: 'LlmCall' }),
  z
    .looseObject({
      type: kindTypeSchema.meta({
        not: { enum: ['llm_call'] },
        description: 'Such as `custom`, `tool_call`, `retrieval`, `embedding`, `fs_read`, `fs_write`.',
      }),
    })
    .meta({ title: 'OtherKind' }),
]);

/** A kind: any object with a string `type`, kept by reference; well-known members of an `llm_call` need their types. */
export const spanKindSchema = z
  .custom<SpanKind>()
  .superRefine((value: unknown, context) => {
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
  })
  .meta({
    id: 'SpanKind',
    description: 'What a span is. Any `type` is kept whole; `llm_call` needs a `model`.',
    example: {
      type: 'llm_call',
      model: 'gpt-4o',
      provider: 'openai',
      input_tokens: 12,
      output_tokens: 34,
      cost: 0.0004,
    },
    describedBy: describedKind,
  });

export interface SpanKind {
  type: string;
  [member: string]: unknown;
}

/** `POST /api/spans` (docs/spec/spans.md#creating-a-span). */
export const createSpanSchema = z
  .object({
    id: clientIdSchema.nullish().describe('Chosen by the client; made by the service when left out.'),
    trace_id: z.string(),
    parent_id: clientIdSchema.nullish().describe('May name a span that has not arrived yet.'),
    name: nameSchema,
    kind: spanKindSchema.nullish(),
    input: jsonValueSchema.optional(),
    metadata: jsonObjectSchema.nullish(),
    started_at: timestampSchema.nullish(),
  })
  .meta({ id: 'CreateSpan' });
export type CreateSpan = z.output<typeof createSpanSchema>;

/** `POST /api/spans/:id/complete`; every member optional. */
export const completeSpanSchema = z
  .object({
    output: jsonValueSchema.optional(),
    kind: spanKindSchema.nullish(),
    ended_at: timestampSchema.nullish(),
    metadata: jsonObjectSchema.nullish().describe('Merged into what the span has.'),
  })
  .meta({ id: 'CompleteSpan' });
export type CompleteSpan = z.output<typeof completeSpanSchema>;

/** `POST /api/spans/:id/fail`. */
export const failSpanSchema = z
  .object({
    error: z.string(),
    output: jsonValueSchema.optional(),
    kind: spanKindSchema.nullish(),
    ended_at: timestampSchema.nullish(),
  })
  .meta({ id: 'FailSpan' });
export type FailSpan = z.output<typeof failSpanSchema>;

export const SPAN_SORT_KEYS = ['started_at', 'duration', 'tokens', 'cost', 'name'] as const;
export type SpanSortKey = (typeof SPAN_SORT_KEYS)[number];
export type SortOrder = 'asc' | 'desc';

/** The filters on spans, which combine with AND (docs/spec/spans.md#filters). */
export const spanFiltersSchema = z.object({
  ids: idsSchema.optional(),
  trace_id: z.string().optional(),
  parent_id: z.string().optional(),
  session_id: z.string().optional().describe('Spans of traces of this session.'),
  user_id: z.string().optional().describe('Spans of traces of this user.'),
  tag: repeatable(z.string()).optional().describe('Spans of traces with this tag. May be repeated; all must match.'),
  kind: z.string().optional().describe('`kind.type`.'),
  model: z.string().optional(),
  provider: z.string().optional(),
  status: statusNameSchema.optional(),
  since: timestampSchema.optional().describe('Spans that started then or later.'),
  until: timestampSchema.optional().describe('Spans that started before.'),
  name_contains: z.string().optional().describe('A literal substring of the name.'),
  text_contains: z.string().optional().describe('A literal substring of input or output.'),
  input_contains: z.string().optional(),
  output_contains: z.string().optional(),
  error_contains: z.string().optional().describe('A literal substring of the error of a failed span.'),
  duration_min: queryNumberSchema.optional().describe('Milliseconds.'),
  duration_max: queryNumberSchema.optional().describe('Milliseconds.'),
  tokens_min: queryNumberSchema.optional(),
  cost_min: queryNumberSchema.optional().describe('Dollars.'),
  metadata: metadataFilterSchema('spans'),
  score: scoreFiltersSchema,
});
export type SpanFilters = z.output<typeof spanFiltersSchema>;

export const listSpansSchema = spanFiltersSchema.extend({
  sort_by: sortKeySchema(SPAN_SORT_KEYS)
    .default('started_at')
    .describe('Spans without the value come last. `score:NAME`: those alone that have such a score with a value.'),
  sort_order: z.enum(['asc', 'desc']).default('desc'),
  ...paging(),
});
export type ListSpans = z.output<typeof listSpansSchema>;

/** A span's status, in the form that existing clients parse (docs/spec/spans.md#status-on-the-wire). */
export const spanStatusSchema = z
  .union([z.enum(['running', 'completed']), z.object({ failed: z.object({ error: z.string() }) })])
  .meta({ id: 'SpanStatus' });
export type SpanStatus = z.output<typeof spanStatusSchema>;

export const spanSchema = z
  .object({
    id: z.string(),
    trace_id: z.string(),
    parent_id: z.string().nullable(),
    name: z.string(),
    kind: spanKindSchema,
    input: jsonValueSchema,
    output: jsonValueSchema,
    status: spanStatusSchema,
    error: z.string().nullable().describe('The message of the status `failed`.'),
    started_at: timestampTextSchema,
    ended_at: timestampTextSchema.nullable(),
    metadata: jsonMapSchema.describe(
      "The caller's own members and, once the span is finished, `duration_ms`, `total_tokens`, `cost` and `cost_source`.",
    ),
  })
  .meta({ id: 'Span' });
export type SpanResource = z.output<typeof spanSchema>;

/** Answer of `POST /api/spans`. */
export const spanCreatedSchema = z.object({ id: z.string(), trace_id: z.string() }).meta({ id: 'SpanCreated' });

/** Who says what a span cost (docs/spec/spans.md#cost-source). */
export const costSourceSchema = z
  .enum(['sender', 'provider', 'table'])
  .describe('Who says so: the sender of the span, the provider in its answer, or the price table.');
export type CostSource = z.output<typeof costSourceSchema>;

/** The parts that a cost can have, in their order (docs/spec/recording.md#parts-of-a-cost). */
export const COST_PARTS = [
  'input',
  'cached',
  'cache_write',
  'cache_write_1h',
  'input_audio',
  'cached_audio',
  'input_image',
  'cached_image',
  'output',
  'reasoning',
  'output_audio',
  'output_image',
  'web_search',
  'request',
] as const;

const costPartSchema = z
  .object({
    part: z.enum(COST_PARTS),
    quantity: countSchema,
    unit_price: amountSchema.describe('Dollars for `per` of them.'),
    per: countSchema.describe('1000000 for tokens, 1000 for searches and requests.'),
    cost: amountSchema.describe('Dollars.'),
  })
  .meta({ id: 'CostPart' });
export type CostPart = z.output<typeof costPartSchema>;

/** What a span's cost is made of, member `cost` of `GET /api/spans/:id?include=cost`. */
export const spanCostSchema = z
  .object({
    total: costSchema,
    source: costSourceSchema.nullable(),
    model: z.string().nullish().describe('The model whose price counts.'),
    service_tier: z.string().nullish().describe('The service tier that the span says it had.'),
    price_source: z.string().nullish().describe('Who says what the model costs: a package, a page or a setting.'),
    parts: z
      .array(costPartSchema)
      .nullable()
      .describe('Empty for a cost that was reported or counted by other prices, `null` where there is none.'),
    reason: z.string().optional().describe('Why there is no cost, or no part.'),
  })
  .meta({ id: 'SpanCost' });
export type SpanCost = z.output<typeof spanCostSchema>;

/** What `GET /api/spans/:id` is asked to show beside the span. */
export const readSpanSchema = z.object({
  include: z.literal('cost').optional().describe('`cost`: the member `cost`, with what the cost is made of.'),
});
export type ReadSpanQuery = z.output<typeof readSpanSchema>;

/** Answer of `GET /api/spans/:id`. */
export const readSpanAnswerSchema = spanSchema
  .extend({
    cost: spanCostSchema.optional().describe('With `include=cost` alone.'),
    scores: scoresOf('the span').exactOptional(),
  })
  .meta({ id: 'ReadSpan' });

export const spanListSchema = listAnswer('SpanList', 'spans', spanSchema.extend({ scores: listedScores }));

/** Answer of `GET /api/traces/:id`: the trace with all its spans in start order. */
export const traceSpansSchema = z
  .object({
    trace: traceListItemSchema,
    spans: z.array(spanSchema),
    count: countSchema,
    scores: scoresOfTrace.exactOptional(),
  })
  .meta({ id: 'TraceSpans' });
