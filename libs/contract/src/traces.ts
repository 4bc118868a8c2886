import { z } from 'zod';
import { boundedList } from './values/bounded.js';
import {
  countedSchema,
  idsSchema,
  listAnswer,
  metadataFilterSchema,
  queryNumberSchema,
  repeatable,
  paging,
} from './lists.js';
import { amountSchema, costSchema, countSchema, unpricedCountSchema } from './values/numbers.js';
import { clientIdSchema, jsonMapSchema, jsonObjectSchema, keySchema, nameSchema } from './values/text.js';
import { includeScores, listedScores, scoreFiltersSchema, sortKeySchema, scoreSumsSchema } from './scores.js';
import { timestampSchema, timestampTextSchema } from './values/timestamp.js';

export const TAGS_MAX = 1_000;

export const tagsSchema = boundedList(keySchema, TAGS_MAX);

/** `POST /api/traces` (docs/spec/traces.md#creating-a-trace). */
export const createTraceSchema = z
  .object({
    id: clientIdSchema.nullish().describe('Chosen by the client; made by the service when left out.'),
    name: nameSchema.nullish(),
    tags: tagsSchema.nullish(),
    session_id: keySchema.nullish(),
    user_id: keySchema.nullish(),
    metadata: jsonObjectSchema.nullish(),
    started_at: timestampSchema.nullish().describe('Now when left out.'),
  })
  .meta({ id: 'CreateTrace' });
export type CreateTrace = z.output<typeof createTraceSchema>;

/** `PATCH /api/traces/:id`: only members given change; `null` clears. */
export const patchTraceSchema = z
  .object({
    name: nameSchema.nullish(),
    tags: tagsSchema.nullish(),
    session_id: keySchema.nullish(),
    user_id: keySchema.nullish(),
    metadata: jsonObjectSchema.nullish(),
  })
  .meta({ id: 'PatchTrace', description: 'Only members given change; `null` clears; lists and objects are replaced.' });
export type PatchTrace = z.output<typeof patchTraceSchema>;

export const STATUS_NAMES = ['running', 'completed', 'failed'] as const;
export const statusNameSchema = z.enum(STATUS_NAMES);
export type StatusName = z.output<typeof statusNameSchema>;

/** The filters on traces, which combine with AND (docs/spec/traces.md#listing-traces). */
export const traceFiltersSchema = z.object({
  ids: idsSchema.optional(),
  session_id: z.string().optional(),
  user_id: z.string().optional(),
  tag: repeatable(z.string()).optional().describe('May be repeated; all must match.'),
  name_contains: z.string().optional().describe('A literal substring of the name.'),
  since: timestampSchema.optional().describe('Traces that started then or later.'),
  until: timestampSchema.optional().describe('Traces that started before.'),
  status: statusNameSchema.optional(),
  model: z.string().optional().describe('Traces with a span of this model.'),
  provider: z.string().optional().describe('Traces with a span of this provider.'),
  duration_min: queryNumberSchema.optional().describe('Milliseconds.'),
  duration_max: queryNumberSchema.optional().describe('Milliseconds.'),
  cost_min: queryNumberSchema.optional().describe('Dollars.'),
  tokens_min: queryNumberSchema.optional(),
  metadata: metadataFilterSchema('traces'),
  score: scoreFiltersSchema,
});
export type TraceFilters = z.output<typeof traceFiltersSchema>;

export const TRACE_SORT_KEYS = ['started_at', 'duration', 'cost', 'tokens', 'spans'] as const;
export type TraceSortKey = (typeof TRACE_SORT_KEYS)[number];

export const listTracesSchema = traceFiltersSchema.extend({
  sort_by: sortKeySchema(TRACE_SORT_KEYS)
    .default('started_at')
    .describe('Traces without the value come last. `score:NAME`: those alone that have such a score with a value.'),
  sort_order: z.enum(['asc', 'desc']).default('desc'),
  ...paging(),
});
export type ListTraces = z.output<typeof listTracesSchema>;

export const traceSchema = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    tags: z.array(z.string()),
    session_id: z.string().nullable(),
    user_id: z.string().nullable(),
    metadata: jsonMapSchema,
    started_at: timestampTextSchema,
    ended_at: timestampTextSchema
      .nullable()
      .describe("The latest end of the trace's spans; `null` while one runs or none has come."),
  })
  .meta({ id: 'Trace' });
export type TraceResource = z.output<typeof traceSchema>;

export const EVAL_TAG = 'eval';

export const TRY_TAG = 'try';

export const DEMO_TAG = 'spandrel-demo';

/** Tags of traces that capture rules leave out unless they ask for the tag: they are not of the user's own traffic. */
export const TAGS_TO_ASK_FOR: readonly string[] = [EVAL_TAG, TRY_TAG, DEMO_TAG];

/** What lists of traces have with `preview` alone (docs/spec/outlines.md#previews-of-traces). */
const tracePreview = (what: string) =>
  z.string().nullable().exactOptional().describe(`${what}, \`null\` when there is none; with \`preview\` alone.`);

/** An item of the trace list: the trace with the roll-up of its spans. */
export const traceListItemSchema = traceSchema
  .extend({
    status: statusNameSchema.describe(
      '`running` while a span runs or none has come, else `failed` if one failed, else `completed`.',
    ),
    span_count: countSchema,
    error_count: countSchema.describe('Failed spans.'),
    total_tokens: countSchema,
    total_cost: costSchema.describe('Dollars; `null` when no span has a cost.'),
    unpriced_count: unpricedCountSchema,
    duration_ms: amountSchema.nullable().describe('From the first start to the last end.'),
    models: z.array(z.string()),
    input_preview: tracePreview('The beginning of what its user asked'),
    output_preview: tracePreview('The beginning of what its user was answered'),
    answer_span_id: tracePreview('The LLM call that answered its user'),
    scores: listedScores,
  })
  .meta({ id: 'TraceListItem', description: 'A trace with the roll-up of its spans.' });
export type TraceListItem = z.output<typeof traceListItemSchema>;

export const traceListSchema = listAnswer('TraceList', 'traces', traceListItemSchema);

const traceBucketSchema = z
  .object({
    since: timestampTextSchema,
    until: timestampTextSchema.describe('The next bucket begins here.'),
    running: countSchema,
    completed: countSchema,
    failed: countSchema,
  })
  .meta({ id: 'TraceBucket' });

/** Answer of `GET /api/count/traces/over-time` (docs/spec/traces.md#traces-over-time). */
export const tracesOverTimeSchema = z
  .object({
    ...countedSchema.shape,
    buckets: z.array(traceBucketSchema).describe('Oldest first, without gaps; sixty at most.'),
  })
  .meta({ id: 'TracesOverTime' });
export type TracesOverTime = z.output<typeof tracesOverTimeSchema>;

/** Answer of `DELETE /api/traces/:id`. */
export const traceDeletedSchema = z
  .object({ trace_id: z.string(), spans_deleted: countSchema })
  .meta({ id: 'TraceDeleted' });

/** Answer of `DELETE /api/traces`. */
export const tracesDeletedSchema = z
  .object({ message: z.string(), traces_deleted: countSchema, spans_deleted: countSchema })
  .meta({ id: 'TracesDeleted' });

/** Users of a session that the list of sessions names. */
export const SESSION_USERS_MAX = 8;

/** Query of `GET /api/sessions`. */
export const listSessionsSchema = z.object({
  id_contains: z.string().optional().describe('A literal substring of the session id.'),
  user_id: z.string().optional().describe('Sessions with a trace of this user.'),
  since: timestampSchema.optional().describe('Sessions that started then or later.'),
  until: timestampSchema.optional().describe('Sessions that started before.'),
  include: includeScores,
  ...paging(),
});
export type ListSessions = z.output<typeof listSessionsSchema>;

export const sessionSchema = z
  .object({
    session_id: z.string(),
    trace_count: countSchema,
    span_count: countSchema,
    error_count: countSchema.describe('Failed spans.'),
    total_tokens: countSchema,
    total_cost: costSchema,
    unpriced_count: unpricedCountSchema,
    user_ids: z
      .array(z.string())
      .max(SESSION_USERS_MAX)
      .describe(`Users of its traces, in the order in which they came; the first ${SESSION_USERS_MAX}.`),
    started_at: timestampTextSchema,
    ended_at: timestampTextSchema.nullable(),
    scores: listedScores,
  })
  .meta({ id: 'Session' });
export type SessionResource = z.output<typeof sessionSchema>;

export const sessionListSchema = listAnswer('SessionList', 'sessions', sessionSchema);

/** Answer of `GET /api/sessions/:session_id`: its traces, newest first. */
export const sessionTracesSchema = listAnswer('SessionTraces', 'traces', traceListItemSchema, {
  session_id: z.string(),
  scores: listedScores,
});

export const USER_SORT_KEYS = ['last_seen', 'cost', 'calls', 'tokens', 'errors'] as const;
export type UserSortKey = (typeof USER_SORT_KEYS)[number];

const userRangeSchema = z.object({
  since: timestampSchema.optional().describe('Counts traces that started then or later.'),
  until: timestampSchema.optional().describe('Counts traces that started before.'),
});

/** Query of `GET /api/users`. */
export const listUsersSchema = userRangeSchema.extend({
  id_contains: z.string().optional().describe('A literal substring of the user id.'),
  prefix: z.string().optional().describe('Users whose ids begin with these very letters.'),
  sort_by: z.enum(USER_SORT_KEYS).default('last_seen').describe('Users without a known cost come last.'),
  sort_order: z.enum(['asc', 'desc']).default('desc'),
  include: includeScores,
  ...paging(),
});
export type ListUsers = z.output<typeof listUsersSchema>;

/** Query of `GET /api/users/:user_id`. */
export const readUserSchema = userRangeSchema;
export type ReadUser = z.output<typeof readUserSchema>;

export const userSchema = z
  .object({
    user_id: z.string(),
    trace_count: countSchema,
    session_count: countSchema,
    span_count: countSchema,
    call_count: countSchema.describe('LLM calls.'),
    error_count: countSchema.describe('Failed spans.'),
    total_tokens: countSchema,
    total_cost: costSchema.describe('Dollars; `null` when no span has a cost.'),
    unpriced_count: unpricedCountSchema,
    first_seen_at: timestampTextSchema.describe('When the first of its traces started.'),
    last_seen_at: timestampTextSchema.describe('When the last of its traces started.'),
    scores: scoreSumsSchema
      .exactOptional()
      .describe(
        'What the scores of the user come to; left out where there are none, and of lists without `include=scores`.',
      ),
  })
  .meta({ id: 'User', description: 'What the traces with a `user_id` come to.' });
export type UserResource = z.output<typeof userSchema>;

export const userListSchema = listAnswer('UserList', 'users', userSchema);
