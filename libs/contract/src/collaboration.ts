import { z } from 'zod';
import { boundedList } from './values/bounded.js';
import { listAnswer, PAGE_LIMIT_MAX, queryBooleanSchema, paging } from './lists.js';
import { clientIdSchema, keySchema, labelSchema, nameSchema, storableSchema } from './values/text.js';
import { timestampSchema, timestampTextSchema, storedTimes, restoredTimes } from './values/timestamp.js';

/** Longest query string that a saved view or a figure of a board keeps, in UTF-16 units. */
const QUERY_LENGTH_MAX = 8_192;
const BOARD_FIGURES_MAX = 48;
const COMMENT_LENGTH_MAX = 10_000;

const authorSchema = z
  .object({
    id: z.string().describe('`person:<id>`, `key:<id>` or `jwt:<sub>`, as in the audit log; `local` in local mode.'),
    name: z.string().nullable().describe('What they were called then; `null` where nobody knows.'),
  })
  .meta({ id: 'Author' });
export type Author = z.output<typeof authorSchema>;

const titleSchema = labelSchema.max(200);
const pageShape = paging(PAGE_LIMIT_MAX);
const madeShape = { created_by: authorSchema, ...storedTimes };

/** What comes back from an export beside what somebody may say: who made it, and when. */
const restoredShape = {
  id: clientIdSchema,
  created_by: z.object({ id: keySchema, name: nameSchema.nullable() }),
  ...restoredTimes,
};

const addressQuerySchema = storableSchema(QUERY_LENGTH_MAX).describe(
  "The query string of the page's address, without `?`.",
);

/** Pages of the dashboard whose addresses can be saved. */
export const VIEW_PAGES = [
  ...(['traces', 'spans', 'sessions', 'users', 'analytics', 'datasets', 'evaluations', 'events'] as const),
] as const;
export type ViewPage = (typeof VIEW_PAGES)[number];

const viewScopeSchema = z
  .enum(['me', 'project'])
  .describe('Who sees it: who makes it alone, or the project. Local mode has `project` alone.');

/** `POST /api/views`. */
export const createViewSchema = z
  .object({
    name: titleSchema,
    page: z.enum(VIEW_PAGES),
    query: addressQuerySchema,
    scope: viewScopeSchema.default('project'),
  })
  .meta({ id: 'CreateView' });
export type CreateView = z.output<typeof createViewSchema>;

/** `PUT /api/views/:id`. */
export const updateViewSchema = z
  .object({ name: titleSchema, query: addressQuerySchema, scope: viewScopeSchema })
  .partial()
  .meta({ id: 'UpdateView', description: 'Only members given change.' });
export type UpdateView = z.output<typeof updateViewSchema>;

export const savedViewSchema = createViewSchema
  .extend({ id: z.string(), scope: viewScopeSchema, ...madeShape })
  .meta({ id: 'SavedView' });
export type ViewResource = z.output<typeof savedViewSchema>;
/** A view that comes back from an export, which has those of the project alone. */
export const restoredViewSchema = createViewSchema.omit({ scope: true }).extend(restoredShape);
export type RestoredView = z.output<typeof restoredViewSchema>;
export const viewListSchema = listAnswer('SavedViewList', 'views', savedViewSchema);

export const listViewsSchema = z.object({ page: z.enum(VIEW_PAGES).optional(), ...pageShape });

/** What a figure of a board shows: one of Analytics, or the mean scores of evaluation runs. */
const BOARD_FIGURES = ['cost', 'tokens', 'spans', 'calls', 'latency', 'errors', 'scores'] as const;

const boardFigureSchema = z
  .object({ title: titleSchema, figure: z.enum(BOARD_FIGURES), query: addressQuerySchema })
  .meta({ id: 'BoardFigure' });
export type BoardFigure = z.output<typeof boardFigureSchema>;

/** `POST /api/boards`. */
export const createBoardSchema = z
  .object({ name: titleSchema, figures: boundedList(boardFigureSchema, BOARD_FIGURES_MAX) })
  .meta({ id: 'CreateBoard' });
export type CreateBoard = z.output<typeof createBoardSchema>;

/** `PUT /api/boards/:id`. */
export const updateBoardSchema = createBoardSchema
  .extend({ hidden: z.boolean().describe('Whether lists leave it out.') })
  .partial()
  .meta({ id: 'UpdateBoard', description: 'Only members given change.' });
export type UpdateBoard = z.output<typeof updateBoardSchema>;

export const boardSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    figures: z.array(boardFigureSchema),
    built_in: z.boolean().describe('Whether it comes with the product: to delete it is to hide it.'),
    hidden: z.boolean(),
    created_by: authorSchema.nullable().describe('`null`, as the times are: nobody has changed what the product has.'),
    created_at: timestampTextSchema.nullable(),
    updated_at: timestampTextSchema.nullable(),
  })
  .meta({ id: 'Board' });
export type BoardResource = z.output<typeof boardSchema>;
/** A board that comes back from an export. */
export const restoredBoardSchema = createBoardSchema.extend({ hidden: z.boolean(), ...restoredShape });
export type RestoredBoard = z.output<typeof restoredBoardSchema>;
export const boardListSchema = listAnswer('BoardList', 'boards', boardSchema);

export const listSavedSchema = z.object(pageShape);
export const listBoardsSchema = listSavedSchema.extend({
  hidden: queryBooleanSchema.optional().describe('`true`: hidden boards, too.'),
});
export type ListSaved = z.output<typeof listSavedSchema>;

/** What comments are about; the table has them by their places. */
export const COMMENT_TARGETS = ['trace', 'span', 'datapoint', 'result'] as const;
export type CommentTarget = (typeof COMMENT_TARGETS)[number];

const commentTextSchema = storableSchema(COMMENT_LENGTH_MAX)
  .refine((text) => text.trim() !== '', 'must not be empty')
  .describe('Markdown.');

const commentTargetSchema = z.object({
  target_type: z.enum(COMMENT_TARGETS),
  target_id: keySchema
    .min(1)
    .describe('The id of the trace, span or datapoint; a result is named by the id of its datapoint.'),
  parent_id: keySchema.nullish().describe('The dataset of a datapoint, the run of a result; required of those.'),
});
export type TargetOfComment = z.output<typeof commentTargetSchema>;

const refuseNoParent = ({ target_type: type, parent_id: parent }: TargetOfComment, context: z.RefinementCtx): void => {
  if ((type === 'datapoint' || type === 'result') && parent == null)
    context.addIssue({ code: 'custom', path: ['parent_id'], message: `is required of a ${type}` });
};

/** `POST /api/comments`. */
export const createCommentSchema = commentTargetSchema
  .extend({ text: commentTextSchema })
  .superRefine(refuseNoParent)
  .meta({ id: 'CreateComment' });
export type CreateComment = z.output<typeof createCommentSchema>;

/** `PUT /api/comments/:id`. */
export const updateCommentSchema = z.object({ text: commentTextSchema }).meta({ id: 'UpdateComment' });
export type UpdateComment = z.output<typeof updateCommentSchema>;

export const commentSchema = z
  .object({
    id: z.string(),
    target_type: z.enum(COMMENT_TARGETS),
    target_id: z.string(),
    parent_id: z.string().describe('The trace of a trace or span, the dataset of a datapoint, the run of a result.'),
    text: z.string().describe('Markdown.'),
    author: authorSchema,
    created_at: timestampTextSchema,
    edited_at: timestampTextSchema.nullable(),
  })
  .meta({ id: 'Comment' });
export type CommentResource = z.output<typeof commentSchema>;
export const commentListSchema = listAnswer('CommentList', 'comments', commentSchema);

/** Query of `GET /api/comments`; filters combine with AND. */
export const listCommentsSchema = z.object({
  parent_id: z.string().optional().describe('Comments on a trace and on its spans are those with its id here.'),
  target_type: z.enum(COMMENT_TARGETS).optional(),
  target_id: z.string().optional(),
  ...pageShape,
});
export type ListComments = z.output<typeof listCommentsSchema>;

/** A comment that comes back from an export. */
export const restoredCommentSchema = commentTargetSchema
  .extend({
    id: clientIdSchema,
    text: commentTextSchema,
    author: restoredShape.created_by,
    created_at: timestampSchema,
    edited_at: timestampSchema.nullable(),
  })
  .superRefine(refuseNoParent);
export type RestoredComment = z.output<typeof restoredCommentSchema>;

/** `POST /api/shares`. */
export const createShareSchema = z.object({ trace_id: keySchema.min(1) }).meta({ id: 'CreateShare' });
export type CreateShare = z.output<typeof createShareSchema>;

export const shareSchema = z
  .object({
    id: z.string(),
    trace_id: z.string(),
    created_by: authorSchema,
    created_at: timestampTextSchema,
    expires_at: timestampTextSchema.describe('Seven days after it was made.'),
    opened_at: timestampTextSchema.nullable().describe('When it was last opened, to the minute; `null`: not yet.'),
  })
  .meta({ id: 'Share', description: 'A link that opens one trace, without the link itself.' });
export type ShareResource = z.output<typeof shareSchema>;
export const shareListSchema = listAnswer('ShareList', 'shares', shareSchema);
export const shareCreatedSchema = shareSchema
  .extend({ path: z.string().describe('Path of the link, `/s/TOKEN`; shown this once.') })
  .meta({ id: 'ShareCreated' });
export type ShareCreated = z.output<typeof shareCreatedSchema>;
