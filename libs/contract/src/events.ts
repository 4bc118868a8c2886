import { z } from 'zod';
import { datapointSchema, datasetSchema } from './datasets.js';
import { EVENT_TYPES, type EventType } from './event-types.js';
import { countSchema } from './values/numbers.js';
import { spanOutlineSchema, viewSchema } from './outlines.js';
import { queueItemSchema } from './queue.js';
import { spanSchema } from './spans.js';
import { traceSchema } from './traces.js';

const payload = <Types extends readonly [EventType, ...EventType[]], Shape extends z.ZodRawShape>(
  types: Types,
  shape: Shape,
) => z.object({ type: z.enum(types), ...shape });

/** Payloads that are the same in both views. */
const WITHOUT_TEXTS = [
  payload(['span_deleted'], { span_id: z.string() }),
  payload(['trace_created'], { trace: traceSchema }),
  payload(['trace_deleted'], { trace_id: z.string() }),
  payload(['dataset_created'], { dataset: datasetSchema }),
  payload(['dataset_deleted'], { dataset_id: z.string() }),
  payload(['cleared'], {}),
  payload(['eval_started'], { run_id: z.string(), dataset_id: z.string() }),
  payload(['eval_progress'], {
    run_id: z.string(),
    progress: countSchema,
    total: countSchema,
    sample_progress: countSchema,
    sample_total: countSchema,
  }),
  payload(['eval_completed'], { run_id: z.string() }),
  payload(['eval_failed'], { run_id: z.string(), error: z.string() }),
  payload(['eval_cancelled'], { run_id: z.string() }),
  payload(['capture_triggered'], { rule_id: z.string(), span_id: z.string(), datapoint_id: z.string() }),
] as const;

/** An event with its payload: the JSON of a `data:` line. */
export const eventPayloadSchema = z
  .discriminatedUnion('type', [
    payload(['span_created', 'span_completed', 'span_failed'], { span: spanSchema }),
    payload(['datapoint_created'], { datapoint: datapointSchema }),
    payload(['queue_item_updated'], { item: queueItemSchema }),
    ...WITHOUT_TEXTS,
  ])
  .meta({ id: 'Event', description: 'The JSON of a `data:` line.' });
export type EventPayload = z.output<typeof eventPayloadSchema>;

/** Members of an event's datapoint and queue item that `view=outline` leaves out. */
export const DATAPOINT_DATA = ['kind'] as const;
export const QUEUE_ITEM_DATA = ['original_data', 'edited_data'] as const;

/** An event of `view=outline` (docs/spec/events.md#events-without-texts). */
const eventOutlineSchema = z
  .discriminatedUnion('type', [
    payload(['span_created', 'span_completed', 'span_failed'], { span: spanOutlineSchema }),
    payload(['datapoint_created'], {
      datapoint: datapointSchema.omit({ kind: true }).meta({ id: 'DatapointOutline' }),
    }),
    payload(['queue_item_updated'], {
      item: queueItemSchema.omit({ original_data: true, edited_data: true }).meta({ id: 'QueueItemOutline' }),
    }),
    ...WITHOUT_TEXTS,
  ])
  .meta({ id: 'EventOutline', description: 'The JSON of a `data:` line of `view=outline`.' });
export type EventOutline = z.output<typeof eventOutlineSchema>;

/** The JSON of a `data:` line in either view. */
export const eventInViewSchema = z.union([eventPayloadSchema, eventOutlineSchema]);

export const EVENT_STREAM_MEDIA_TYPE = 'text/event-stream';

/** The number of an event, or 0, in `since` and `Last-Event-ID`; any number of digits is one. */
export const eventIdSchema = z
  .string()
  .regex(/^\d+$/, 'must be the number of an event, or 0')
  .transform((digits) => Math.min(Number(digits), Number.MAX_SAFE_INTEGER))
  .meta({ openapi: { type: 'integer', minimum: 0 } });

/** `types=a,b`. */
const eventTypesSchema = z
  .string()
  .transform((text) => text.split(','))
  .pipe(
    z.array(z.enum(EVENT_TYPES, { error: `must be one or more of ${EVENT_TYPES.join(', ')}, with commas between` })),
  );

/** Query of `GET /api/events`. */
export const listenSchema = z.object({
  since: eventIdSchema.optional().describe('Events with a greater number; the header `Last-Event-ID` beats it.'),
  types: eventTypesSchema.optional().describe('Types of events, separated by commas; all when left out.'),
  view: viewSchema,
  trace_id: z
    .string()
    .optional()
    .describe('Events of this trace alone, and those that may be of any: `span_deleted` and `cleared`.'),
  token: z
    .string()
    .optional()
    .describe('An API key or a JWT, for browsers, which cannot send headers here; not looked at in local mode.'),
});
export type Listen = z.output<typeof listenSchema>;
