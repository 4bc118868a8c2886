import { z } from 'zod';
import { listAnswer, repeatable, paging } from './lists.js';
import { includeScores, listedScores, scoresOfTrace } from './scores.js';
import { listSpansSchema, spanListSchema, spanSchema, traceSpansSchema } from './spans.js';
import { listTracesSchema, traceListItemSchema } from './traces.js';
import { countSchema } from './values/numbers.js';
import { jsonMapSchema } from './values/text.js';

export const PREVIEW_MAX = 2_000;

/** `view` of a route that can leave texts out (docs/spec/outlines.md#the-view). */
export const viewSchema = z.enum(['full', 'outline']).default('full').describe('`outline`: without texts.');
export type View = z.output<typeof viewSchema>;

/** How many code points of a text are shown, in a body. */
export const previewCountSchema = z
  .number()
  .int()
  .min(0)
  .max(PREVIEW_MAX)
  .default(0)
  .describe('Characters of each text that is previewed.');

/** `preview` of a route: how many code points of a text are shown; parses to the number. */
export const previewSchema = z
  .string()
  .regex(/^\d+$/, `must be a whole number from 0 to ${PREVIEW_MAX}`)
  .transform(Number)
  .pipe(z.number().max(PREVIEW_MAX))
  .meta({
    openapi: { type: 'integer', minimum: 0, maximum: PREVIEW_MAX, default: 0 },
    description: 'Characters of each text that is previewed.',
  })
  .default(0);

const previewText = (what: string) => z.string().nullable().describe(`${what}; \`null\` without \`preview\`.`);

/** A span without its texts (docs/spec/outlines.md#the-outline-of-a-span). */
export const spanOutlineSchema = spanSchema
  .omit({ input: true, output: true, metadata: true })
  .extend({
    kind: spanSchema.shape.kind.describe('The kind without its `attributes`.'),
    metadata: jsonMapSchema.describe(
      '`duration_ms`, `total_tokens`, `cost` and `cost_source` once the span is finished; members of the caller with `include=metadata` alone.',
    ),
    input_bytes: countSchema.describe('Bytes of the input as JSON; 0 when there is none.'),
    output_bytes: countSchema.describe('Bytes of the output as JSON; 0 when there is none.'),
    input_preview: previewText('The beginning of the last user message, or of the input'),
    output_preview: previewText('The beginning of the answer, or of the output'),
    scores: listedScores,
  })
  .meta({ id: 'SpanOutline', description: 'A span without its texts.' });
export type SpanOutline = z.output<typeof spanOutlineSchema>;

const spanOutlineListSchema = listAnswer('SpanOutlineList', 'spans', spanOutlineSchema);

/** Answer of `GET /api/spans` in either view. */
export const spansInViewSchema = z.union([spanListSchema, spanOutlineListSchema]);

const traceOutlineSchema = z
  .object({
    trace: traceListItemSchema,
    spans: z.array(spanOutlineSchema),
    count: countSchema,
    scores: scoresOfTrace.exactOptional(),
  })
  .meta({ id: 'TraceOutline' });

/** Answer of `GET /api/traces/:id` in either view. */
export const traceInViewSchema = z.union([traceSpansSchema, traceOutlineSchema]);

/** Query of `GET /api/spans`. */
export const listSpansInViewSchema = listSpansSchema.extend({
  view: viewSchema,
  preview: previewSchema,
  include: repeatable(z.enum(['scores', 'metadata']))
    .optional()
    .describe("`scores`: the member `scores`; `metadata`: the caller's in an outline, up to 16 KB. May be repeated."),
});
export type ListSpansInView = z.output<typeof listSpansInViewSchema>;

/** Query of `GET /api/traces`. */
export const listPreviewedTracesSchema = listTracesSchema.extend({ preview: previewSchema, include: includeScores });
export type ListPreviewedTraces = z.output<typeof listPreviewedTracesSchema>;

/** Query of `GET /api/sessions/:session_id`. */
export const readSessionSchema = z.object({
  preview: previewSchema,
  include: includeScores,
  sort_order: z.enum(['asc', 'desc']).default('desc').describe('`asc`: the oldest trace first.'),
  ...paging(),
});
export type ReadSession = z.output<typeof readSessionSchema>;

/** Query of `GET /api/traces/:id`. */
export const readTraceSchema = z.object({ view: viewSchema, preview: previewSchema });
export type ReadTraceQuery = z.output<typeof readTraceSchema>;

/** Query of `GET /api/shared/:token`. */
export const readSharedTraceSchema = readTraceSchema.omit({ view: true });
export type ReadSharedTrace = z.output<typeof readSharedTraceSchema>;
