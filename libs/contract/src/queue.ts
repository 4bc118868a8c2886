import { z } from 'zod';
import { boundedList } from './values/bounded.js';
import { datapointKindSchema } from './datasets.js';
import { cursorSchema, limitSchema, listAnswer, PAGE_LIMIT_MAX, queryBooleanSchema } from './lists.js';
import { countSchema } from './values/numbers.js';
import { jsonValueSchema, keySchema } from './values/text.js';
import { timestampTextSchema } from './values/timestamp.js';

export const QUEUE_STATUSES = ['pending', 'claimed', 'completed'] as const;
export type QueueStatus = (typeof QUEUE_STATUSES)[number];

export const ENQUEUE_MAX = 10_000;

/** `POST /api/datasets/:id/queue`. */
export const enqueueSchema = z.object({ datapoint_ids: boundedList(z.string(), ENQUEUE_MAX) }).meta({ id: 'Enqueue' });
export type Enqueue = z.output<typeof enqueueSchema>;

/** Body of claim and next: who reviews; the caller's identity when left out. */
export const claimSchema = z
  .object({ claimed_by: keySchema.min(1).nullish().describe("The reviewer; the caller's identity when left out.") })
  .meta({ id: 'Claim' });
export type Claim = z.output<typeof claimSchema>;

/** Items that one `next` may leave out (docs/spec/queue.md#leaving-items-out). */
export const EXCLUDED_ITEMS_MAX = 1_000;

/** Body of next: who reviews, and which items they do not want now. */
export const claimNextSchema = claimSchema
  .extend({ exclude: boundedList(z.string(), EXCLUDED_ITEMS_MAX).optional().describe('Ids of items to leave out.') })
  .meta({ id: 'ClaimNext' });
export type ClaimNext = z.output<typeof claimNextSchema>;

/** `POST /api/queue/:item_id/submit`; without `edited_data` the datapoint is approved as it is. */
export const submitSchema = z
  .object({ edited_data: jsonValueSchema.optional().describe('Any JSON; approved as it is when left out.') })
  .meta({ id: 'Submit' });
export type Submit = z.output<typeof submitSchema>;

/** Query of submit: whether the edited data is written back to the datapoint. */
export const submitQuerySchema = z.object({
  apply: queryBooleanSchema.default(false).meta({
    openapi: { type: 'boolean', default: false },
    description: 'Also write the edited data back to the datapoint, where it is a valid kind.',
  }),
});
export type SubmitQuery = z.output<typeof submitQuerySchema>;

/** Query of the queue's lists, oldest item first. */
export const listQueueSchema = z.object({
  status: z.enum(QUEUE_STATUSES).optional(),
  claimed_by: z.string().optional(),
  limit: limitSchema(PAGE_LIMIT_MAX),
  cursor: cursorSchema.optional(),
});
export type ListQueue = z.output<typeof listQueueSchema>;

export const queueItemSchema = z
  .object({
    id: z.string(),
    dataset_id: z.string(),
    datapoint_id: z.string(),
    status: z.enum(QUEUE_STATUSES),
    claimed_by: z.string().nullable(),
    claimed_by_name: z
      .string()
      .nullable()
      .describe('What the reviewer was called when they claimed it; null where their credential has no name.'),
    claimed_at: timestampTextSchema.nullable(),
    original_data: datapointKindSchema.describe("The datapoint's kind when it was enqueued."),
    edited_data: jsonValueSchema,
    created_at: timestampTextSchema,
  })
  .meta({ id: 'QueueItem' });
export type QueueItemResource = z.output<typeof queueItemSchema>;

/** Answer of `POST /api/queue/:item_id/submit`. */
export const submittedItemSchema = queueItemSchema
  .extend({
    applied: z
      .literal(false)
      .exactOptional()
      .describe('With `apply=true`, where the datapoint stays as it was: there is no edited data, or it is no kind.'),
  })
  .meta({ id: 'SubmittedItem' });

export const queueItemListSchema = listAnswer('QueueItemList', 'items', queueItemSchema);

/** Answer of `GET /api/count/queue`: the datasets that have items (docs/spec/queue.md#counting-queues). */
export const queueCountsSchema = z
  .object({
    datasets: z.array(
      z.object({
        dataset_id: z.string(),
        name: z.string(),
        pending: countSchema,
        claimed: countSchema,
        completed: countSchema,
        oldest_pending_at: timestampTextSchema.nullable().describe('When the item that `next` gives was enqueued.'),
      }),
    ),
    count: countSchema,
  })
  .meta({ id: 'QueueCounts' });
export type QueueCounts = z.output<typeof queueCountsSchema>;

/** Answer of `POST /api/datasets/:id/queue`: an item for each datapoint. */
export const enqueuedSchema = z
  .object({
    existing: countSchema
      .exactOptional()
      .describe('Datapoints that had an open item already, which is answered; left out when there are none.'),
    items: z.array(queueItemSchema),
    count: countSchema,
  })
  .meta({ id: 'Enqueued' });
