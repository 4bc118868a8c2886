import { z } from 'zod';
import { captureFiltersSchema } from './capture-rules.js';
import { baseUrlSchema, providerSchema } from './connections.js';
import { DATAPOINT_SOURCES, datapointKindSchema } from './datasets.js';
import { QUEUE_STATUSES, untilSchema } from './queue.js';
import { scoreValueSchema } from './scores.js';
import { boundedList } from './values/bounded.js';
import { countSchema, settingNumber } from './values/numbers.js';
import { clientIdSchema, isStorableText, jsonValueSchema, keySchema, labelSchema, nameSchema } from './values/text.js';
import { timestampSchema, restoredTimes } from './values/timestamp.js';

/** An item of an import that there is no place for. */
export interface RejectedItem<Item> {
  item: Item;
  code: string;
  message: string;
}

export const restoredDatasetSchema = z.object({
  id: clientIdSchema,
  name: labelSchema,
  description: nameSchema.nullish(),
  datapoint_count: countSchema,
  version: countSchema,
  ...restoredTimes,
});
export type RestoredDataset = z.output<typeof restoredDatasetSchema>;

export const restoredDatapointSchema = z.object({
  id: clientIdSchema,
  dataset_id: clientIdSchema,
  kind: datapointKindSchema,
  source: z.enum(DATAPOINT_SOURCES),
  source_span_id: keySchema.nullish(),
  ...restoredTimes,
});
export type RestoredDatapoint = z.output<typeof restoredDatapointSchema>;

/** In which versions of its dataset a datapoint was what. */
export const restoredDatapointVersionSchema = z
  .object({
    dataset_id: clientIdSchema,
    datapoint_id: clientIdSchema,
    from_version: countSchema,
    to_version: countSchema.nullable(),
    datapoint: restoredDatapointSchema.nullable(),
  })
  .superRefine(({ from_version: from, to_version: to, datapoint, ...ids }, context) => {
    const refuse = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
    if (to !== null && to <= from) refuse('to_version', 'must be greater than from_version');
    if ((to === null) !== (datapoint === null)) refuse('datapoint', 'must be null if and only if to_version is');
    if (datapoint && (datapoint.id !== ids.datapoint_id || datapoint.dataset_id !== ids.dataset_id)) {
      refuse('datapoint', 'must have the id datapoint_id and be of the dataset dataset_id');
    }
  });
export type RestoredDatapointVersion = z.output<typeof restoredDatapointVersionSchema>;

export const restoredCaptureRuleSchema = z.object({
  id: clientIdSchema,
  dataset_id: clientIdSchema,
  name: labelSchema,
  enabled: z.boolean(),
  filters: captureFiltersSchema,
  sample_rate: settingNumber(z.number().min(0).max(1)),
  captured_count: countSchema,
  ...restoredTimes,
});
export type RestoredCaptureRule = z.output<typeof restoredCaptureRuleSchema>;

const NOT_STORABLE = 'must not hold NUL characters or lone surrogates';

/** A provider connection of an import: it has no key, and a member that looks like one is not read. */
export const restoredConnectionSchema = z.object({
  id: clientIdSchema,
  name: labelSchema,
  provider: providerSchema.refine(isStorableText, NOT_STORABLE),
  base_url: baseUrlSchema.refine(isStorableText, NOT_STORABLE).nullish(),
  default_model: keySchema.min(1).nullish(),
  ...restoredTimes,
});
export type RestoredConnection = z.output<typeof restoredConnectionSchema>;

/** An item of the review queue of an import. */
export const restoredQueueItemSchema = z
  .object({
    id: clientIdSchema,
    dataset_id: clientIdSchema.nullable(),
    datapoint_id: clientIdSchema.nullable(),
    status: z.enum(QUEUE_STATUSES),
    claimed_by: keySchema.nullable(),
    claimed_by_name: nameSchema.nullable().default(null),
    claimed_at: timestampSchema.nullable(),
    original_data: datapointKindSchema.nullable(),
    edited_data: jsonValueSchema,
    created_at: timestampSchema,
    // Items of 0.1.0 have none of these.
    trace_id: keySchema.nullable().default(null),
    span_id: keySchema.nullable().default(null),
    session_id: keySchema.nullable().default(null),
    selected_by: keySchema.nullable().default(null),
    position: countSchema.default(0),
    assignees: boundedList(keySchema, 50).default([]),
    adjudicate: z.literal('disagree').nullable().default(null),
    adjudicators: boundedList(keySchema, 50).default([]),
    until: untilSchema.nullish(),
    adjudicates: z.boolean().default(false),
    gold: boundedList(z.tuple([keySchema, z.number().nullable(), keySchema.nullable()]), 50)
      .nullable()
      .default(null),
    group_id: clientIdSchema.nullable().default(null),
    review_no: countSchema.default(1),
    reviews_required: countSchema.default(1),
    form: boundedList(keySchema, 50).default([]),
    instructions: z.string().refine(isStorableText, NOT_STORABLE).nullable().default(null),
    priority: z.number().int().default(0),
    blind: z.boolean().default(true),
    scores: boundedList(
      z.object({
        name: keySchema,
        value: scoreValueSchema.nullable(),
        label: keySchema.nullable(),
        comment: nameSchema.nullable(),
      }),
      50,
    ).default([]),
    comment: nameSchema.nullable().default(null),
    skipped: z.boolean().default(false),
    completed_at: timestampSchema.nullable().default(null),
  })
  .superRefine(({ status, claimed_by: by, claimed_at: at }, context) => {
    const isClaimed = by !== null && at !== null;
    if (isClaimed === (status !== 'pending')) return;
    const message = `must be ${status === 'pending' ? 'null of a pending item' : `given of a ${status} item`}`;
    context.addIssue({ code: 'custom', path: [by === null ? 'claimed_by' : 'claimed_at'], message });
  })
  .superRefine(({ dataset_id: dataset, datapoint_id: datapoint, original_data: data, ...item }, context) => {
    const isTarget = item.trace_id !== null || item.session_id !== null;
    if ([dataset, datapoint, data].every((member) => (member === null) === isTarget)) return;
    const message = `must be ${isTarget ? 'null of an item of a trace, a span or a session' : 'given of an item of a datapoint'}`;
    context.addIssue({ code: 'custom', path: ['dataset_id'], message });
  });
export type RestoredQueueItem = z.output<typeof restoredQueueItemSchema>;
