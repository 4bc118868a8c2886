import { z } from 'zod';
import { boundedList } from './values/bounded.js';
import { datapointKindSchema } from './datasets.js';
import { listAnswer, PAGE_LIMIT_MAX, queryBooleanSchema, paging } from './lists.js';
import { levelIntervalSchema, SCORE_LEVELS, scoreValueSchema, wilsonRateSchema } from './scores.js';
import { countSchema, settingNumber } from './values/numbers.js';
import { isStorableText, jsonValueSchema, keySchema, nameSchema } from './values/text.js';
import { timestampSchema, timestampTextSchema } from './values/timestamp.js';

export const QUEUE_STATUSES = ['pending', 'claimed', 'completed'] as const;
export type QueueStatus = (typeof QUEUE_STATUSES)[number];

export const ENQUEUE_MAX = 10_000;

/** `POST /api/datasets/:id/queue`. */
export const REVIEWS_MAX = 10;
const FORM_MAX = 50;
const INSTRUCTIONS_LENGTH_MAX = 10_000;
const PRIORITY_MAX = 1_000_000;
const GOLD_MAX = 1_000;

const targetIds = boundedList(keySchema.min(1), ENQUEUE_MAX);
const names = boundedList(keySchema.min(1), FORM_MAX);

/** Orders in which `next` gives what one enqueue made. */
export const QUEUE_ORDERS = ['oldest', 'random', 'uncertain'] as const;
export type QueueOrder = (typeof QUEUE_ORDERS)[number];

const reviewScoreSchema = z.object({
  name: keySchema.min(1),
  value: settingNumber(scoreValueSchema.nullish()),
  label: keySchema.min(1).nullish(),
  comment: nameSchema.nullish(),
});

/** When enough has been reviewed (docs/spec/queue.md#enough-reviews). */
export const untilSchema = z
  .object({
    ci_width: settingNumber(
      z
        .number()
        .min(0)
        .refine((width) => width > 0, 'must be above 0'),
    ),
  })
  .describe('When enough has been reviewed.');

/** What is wrong with how things are to be reviewed that no member shows by itself, as paths and messages. */
function termFaults({ until, form, order, selected_by: selectedBy }: Omit<Enqueue, 'datapoint_ids'>) {
  if (!until) return [];
  const fault = (path: string, message: string) => [{ path: [path], message }];
  if (!form?.length) return fault('form', 'is needed with until: the scores whose means are estimated');
  if (order === 'uncertain') return fault('order', 'must not be uncertain with until: such items enter no estimate');
  if ((selectedBy ?? 'random') !== 'random')
    return fault('selected_by', 'must be random with until: other items enter no estimate');
  return [];
}

const terms = {
  reviews_required: z
    .number()
    .int()
    .min(1)
    .max(REVIEWS_MAX)
    .nullish()
    .describe('People who review each; 1 when left out.'),
  form: names.nullish().describe('Names of score definitions that a review has to answer.'),
  instructions: z.string().max(INSTRUCTIONS_LENGTH_MAX).refine(isStorableText).nullish(),
  priority: z
    .number()
    .int()
    .min(-PRIORITY_MAX)
    .max(PRIORITY_MAX)
    .nullish()
    .describe('Higher ones come first; 0 when left out.'),
  blind: z.boolean().nullish().describe('Nobody reads answers of others before their own; `true` when left out.'),
  selected_by: keySchema
    .min(1)
    .nullish()
    .describe('Why these were chosen; with anything but `random` their answers enter no estimate.'),
  order: z
    .enum(QUEUE_ORDERS)
    .nullish()
    .describe('In which `next` gives them; `oldest` when left out. `uncertain`: what judges were least sure of first.'),
  assignees: names.nullish().describe('Who may review them, by id or e-mail address; anybody when left out.'),
  adjudicate: z
    .literal('disagree')
    .nullish()
    .describe('A further item appears where the answers of a group differ; its answer is that of the group.'),
  adjudicators: names.nullish().describe('Who may decide then; anybody outside of the group when left out.'),
  until: untilSchema
    .nullish()
    .describe('Closes the queue when the 95% interval of the mean of each score of the form is no wider.'),
  gold: z
    .object({
      rate: z
        .number()
        .min(0)
        .max(1)
        .refine((rate) => rate > 0 && rate < 1, 'must be between 0 and 1')
        .describe('The share of all items that they are to be, as far as there are enough.'),
      items: boundedList(
        z.object({ id: z.string(), scores: boundedList(reviewScoreSchema, FORM_MAX) }),
        GOLD_MAX,
      ).describe('Ids of the kind that is enqueued, with the known answers.'),
    })
    .nullish()
    .describe('Things with known answers, mixed in: nobody sees which they are.'),
};

export const enqueueSchema = z
  .object({ datapoint_ids: boundedList(z.string(), ENQUEUE_MAX), ...terms })
  .superRefine((body, context) => {
    for (const fault of termFaults(body)) context.addIssue({ code: 'custom', ...fault });
  })
  .meta({ id: 'Enqueue' });
export type Enqueue = z.output<typeof enqueueSchema>;
export type EnqueueTerms = Omit<Enqueue, 'datapoint_ids'>;

/** What is reviewed beside datapoints. */
export const REVIEW_TARGETS = ['trace', 'span', 'session'] as const;
export type ReviewTarget = (typeof REVIEW_TARGETS)[number];

/** `POST /api/queue`. */
export const enqueueTargetsSchema = z
  .object({ trace_ids: targetIds.nullish(), span_ids: targetIds.nullish(), session_ids: targetIds.nullish(), ...terms })
  .superRefine((body, context) => {
    for (const fault of termFaults(body)) context.addIssue({ code: 'custom', ...fault });
    const given = REVIEW_TARGETS.filter((target) => body[`${target}_ids`]);
    if (given.length === 1) return;
    const message =
      given.length === 0 ? 'is needed, or span_ids or session_ids' : 'must stand alone: one kind at a time';
    context.addIssue({ code: 'custom', path: [`${given.at(-1) ?? 'trace'}_ids`], message });
  })
  .meta({ id: 'EnqueueTargets', description: 'One of `trace_ids`, `span_ids` and `session_ids`.' });
export type EnqueueTargets = z.output<typeof enqueueTargetsSchema>;

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
  .object({
    edited_data: jsonValueSchema.optional().describe('Any JSON; approved as it is when left out.'),
    scores: boundedList(reviewScoreSchema, FORM_MAX).nullish().describe('Answers to the form of the item.'),
    comment: nameSchema.nullish(),
    skip: z.boolean().nullish().describe('Answers nothing; needs a `comment` that says why.'),
  })
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

export const readQueueItemSchema = z.object({
  reviewer: z
    .string()
    .optional()
    .describe('Who reads, so that they see their own blind answers: in local mode alone, where nobody signs in.'),
});
export type ReadQueueItem = z.output<typeof readQueueItemSchema>;

/** Query of the queue's lists, oldest item first. */
export const listQueueSchema = readQueueItemSchema.extend({
  status: z.enum(QUEUE_STATUSES).optional(),
  claimed_by: z.string().optional(),
  targets: queryBooleanSchema.optional().meta({
    openapi: { type: 'boolean' },
    description: '`true`: items of traces, spans and sessions alone.',
  }),
  datapoint_id: z.string().optional(),
  trace_id: z.string().optional().describe('Items of the trace and of its spans.'),
  span_id: z.string().optional(),
  session_id: z.string().optional(),
  group_id: z.string().optional(),
  assignee: z.string().optional().describe('Items that are assigned to this reviewer.'),
  form: z.string().optional().describe('Items whose form has this score.'),
  disagreement: queryBooleanSchema.optional().meta({
    openapi: { type: 'boolean' },
    description: '`true`: items of complete groups whose answers differ.',
  }),
  ...paging(PAGE_LIMIT_MAX),
});
export type ListQueue = z.output<typeof listQueueSchema>;

/** What an item has beside these where more than a look was asked for (docs/spec/queue.md#reviews-by-several). */
const reviewMembers = z
  .object({
    trace_id: z.string().nullable().describe('The trace that is reviewed, or that of the span.'),
    span_id: z.string().nullable(),
    session_id: z.string().nullable(),
    selected_by: z.string().nullable(),
    position: countSchema.describe('Lower ones of a priority come first.'),
    assignees: z.array(z.string()).describe('Who may review it; anybody when empty.'),
    adjudicate: z.literal('disagree').nullable(),
    adjudicators: z.array(z.string()),
    adjudicates: z.boolean().describe('Whether its answer is that of its group.'),
    gold: z
      .array(z.array(z.union([z.string(), z.number()]).nullable()))
      .nullable()
      .describe(
        'The known answers, `[name, value, label]`; `null` where there are none, and as long as they are hidden.',
      ),
    group_id: z
      .string()
      .nullable()
      .describe('What the reviews of one datapoint have in common; `null` for a single one.'),
    review_no: countSchema.describe('From 1 within the group.'),
    reviews_required: countSchema,
    form: z.array(z.string()),
    instructions: z.string().nullable(),
    priority: z.number(),
    blind: z.boolean(),
    until: untilSchema.nullable(),
    scores: z
      .array(
        z.object({
          name: z.string(),
          value: z.number().nullable(),
          label: z.string().nullable(),
          comment: z.string().nullable(),
        }),
      )
      .describe("The reviewer's answers; none while they are hidden."),
    comment: z.string().nullable(),
    skipped: z.boolean(),
    completed_at: timestampTextSchema.nullable(),
  })
  .partial().shape;

export const queueItemSchema = z
  .object({
    id: z.string(),
    dataset_id: z.string().nullable().describe('`null` of an item of a trace, a span or a session.'),
    datapoint_id: z.string().nullable(),
    status: z.enum(QUEUE_STATUSES),
    claimed_by: z.string().nullable(),
    claimed_by_name: z
      .string()
      .nullable()
      .describe('What the reviewer was called when they claimed it; null where their credential has no name.'),
    claimed_at: timestampTextSchema.nullable(),
    original_data: datapointKindSchema
      .nullable()
      .describe("The datapoint's kind when it was enqueued; `null` where it is no datapoint that is reviewed."),
    edited_data: jsonValueSchema,
    created_at: timestampTextSchema,
    ...reviewMembers,
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
const statusCounts = {
  pending: countSchema,
  claimed: countSchema,
  completed: countSchema,
  oldest_pending_at: timestampTextSchema.nullable().describe('When the item that `next` gives was enqueued.'),
};

export const queueCountsSchema = z
  .object({
    datasets: z.array(z.object({ dataset_id: z.string(), name: z.string(), ...statusCounts })),
    count: countSchema,
    targets: z
      .object(statusCounts)
      .exactOptional()
      .describe('Items of traces, spans and sessions; left out when there are none.'),
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

const intervalSchema = levelIntervalSchema.nullable();
const coefficientSchema = z.number().nullable();

const agreementOfScoresSchema = z
  .object({
    name: z.string(),
    level: z.enum(SCORE_LEVELS),
    units: countSchema.describe('Datapoints with two ratings or more.'),
    ratings: countSchema,
    raters: countSchema,
    percent_agreement: coefficientSchema.describe('The mean share of pairs of ratings that agree.'),
    percent_agreement_ci: intervalSchema,
    cohen_kappa: coefficientSchema.describe('Where there are exactly two raters.'),
    fleiss_kappa: coefficientSchema.describe('Where all units have equally many ratings.'),
    krippendorff_alpha: coefficientSchema,
    krippendorff_alpha_ci: intervalSchema,
    gwet_ac1: coefficientSchema,
    gwet_ac1_ci: intervalSchema,
    pairs: z.array(
      z.object({
        a: z.string(),
        b: z.string(),
        units: countSchema,
        percent_agreement: z.number(),
        cohen_kappa: coefficientSchema,
      }),
    ),
  })
  .meta({ id: 'AgreementOfScores', description: 'A coefficient is `null` where no disagreement was to be expected.' });
export type AgreementOfScores = z.output<typeof agreementOfScoresSchema>;

/** Answer of `GET /api/datasets/:id/agreement`. */
export const agreementSchema = z.object({ scores: z.array(agreementOfScoresSchema) }).meta({ id: 'Agreement' });

/** Query of `GET /api/datasets/:id/agreement`. */
export const agreementQuerySchema = z.object({
  name: z.string().optional().describe('The score; all of them when left out.'),
  level: z.enum(SCORE_LEVELS).optional().describe("That of the score's definition when left out."),
  since: timestampSchema.optional().describe('Reviews that were submitted then or later.'),
});
export type AgreementQuery = z.output<typeof agreementQuerySchema>;

/** Query of `GET /api/eval/:run_id/judge-agreement` (docs/spec/queue.md#judge-agreement). */
export const judgeAgreementQuerySchema = z.object({
  name: z.string().optional().describe("The reviewers' score; needed where they answer several."),
  scorer: z.string().optional().describe('The scorer of the run; what all of them come to when left out.'),
});
export type JudgeAgreementQuery = z.output<typeof judgeAgreementQuerySchema>;

/** Answer of `GET /api/eval/:run_id/judge-agreement`. */
export const judgeAgreementSchema = z
  .object({
    name: z.string().nullable().describe("The reviewers' score; `null` where there is none."),
    scorer: z.string().nullable(),
    units: countSchema.describe('Datapoints with a majority of reviewers and a verdict of the run.'),
    percent_agreement: coefficientSchema,
    cohen_kappa: coefficientSchema,
    true_pass_rate: wilsonRateSchema.nullable().describe('How often the run passes what reviewers pass.'),
    true_fail_rate: wilsonRateSchema.nullable().describe('How often the run fails what reviewers fail.'),
    confusion: z
      .object({ true_pass: countSchema, false_pass: countSchema, false_fail: countSchema, true_fail: countSchema })
      .describe("The run's verdicts, right or wrong by the reviewers' majority."),
  })
  .meta({ id: 'JudgeAgreement' });
export type JudgeAgreementOfRun = z.output<typeof judgeAgreementSchema>;

/** Answer of `GET /api/datasets/:id/queue/progress`. */
export const queueProgressSchema = z
  .object({
    pending: countSchema,
    claimed: countSchema,
    completed: countSchema,
    skipped: countSchema.describe('Completed ones without an answer.'),
    reviewers: z.array(
      z.object({
        reviewer: z.string(),
        claimed: countSchema,
        completed: countSchema,
        median_seconds: z.number().nullable().describe('From claim to submission.'),
        gold: z
          .object({ answered: countSchema, correct: countSchema, accuracy: wilsonRateSchema })
          .exactOptional()
          .describe('How often the reviewer gave the known answer; left out where no item with one was answered.'),
      }),
    ),
    median_seconds: z.number().nullable(),
    estimates: z
      .array(
        z.object({
          name: z.string(),
          ci_width: z.number().describe('How wide the interval may be.'),
          units: countSchema.describe('What was reviewed of what was chosen at random.'),
          mean: z.number().nullable(),
          ci: levelIntervalSchema.nullable().describe('`null` below 30 units.'),
        }),
      )
      .exactOptional()
      .describe('How close the queue is to its end, where items have `until`; left out where none has.'),
  })
  .meta({ id: 'QueueProgress' });
export type QueueProgress = z.output<typeof queueProgressSchema>;
