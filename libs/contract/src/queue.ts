import { z } from 'zod';
import type { DatapointKind } from './datasets.js';
import { cursorSchema, limitSchema, PAGE_LIMIT_MAX } from './lists.js';
import { jsonValueSchema, keySchema } from './text.js';

export const QUEUE_STATUSES = ['pending', 'claimed', 'completed'] as const;
export type QueueStatus = (typeof QUEUE_STATUSES)[number];

/** Datapoints one request may enqueue. */
export const ENQUEUE_MAX = 10_000;

/** `POST /api/datasets/:id/queue`. */
export const enqueueSchema = z.object({ datapoint_ids: z.array(z.string()).max(ENQUEUE_MAX) });
export type Enqueue = z.output<typeof enqueueSchema>;

/** Body of claim and next: who reviews; the caller's identity when left out. */
export const claimSchema = z.object({ claimed_by: keySchema.min(1).nullish() });
export type Claim = z.output<typeof claimSchema>;

/** `POST /api/queue/:item_id/submit`; without `edited_data` the datapoint is approved as it is. */
export const submitSchema = z.object({ edited_data: jsonValueSchema.optional() });
export type Submit = z.output<typeof submitSchema>;

/** Query of submit: whether the edited data is written back to the datapoint. */
export const submitQuerySchema = z.object({
  apply: z
    .enum(['true', 'false'])
    .default('false')
    .transform((value) => value === 'true'),
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

export interface QueueItemResource {
  id: string;
  dataset_id: string;
  datapoint_id: string;
  status: QueueStatus;
  claimed_by: string | null;
  claimed_at: string | null;
  /** The datapoint's kind when it was enqueued. */
  original_data: DatapointKind;
  edited_data: unknown;
  created_at: string;
}
