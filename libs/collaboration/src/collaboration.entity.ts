import { defineEntity, p } from '@mikro-orm/core';
import { entityOf, tableOf, type RowOf } from '@spandrel/storage';

const made = { createdBy: p.text(), createdByName: p.text().nullable(), createdAt: p.bigint('number') } as const;

/** What somebody keeps under a name: an address of a page, or figures put together. */
export const SavedItemSchema = defineEntity({
  name: 'SavedItem',
  tableName: 'saved_item',
  properties: {
    projectId: p.text().primary(),
    /** `view` or `board`. */
    kind: p.text().primary(),
    id: p.text().primary(),
    name: p.text(),
    /** The page of a view; `''` of a board. */
    page: p.text(),
    /** The query string of a view; the figures of a board, JSON. */
    content: p.text(),
    /** Who alone sees it; `null`: the project. */
    owner: p.text().nullable(),
    /** 1: a board that lists leave out. */
    hidden: p.smallint(),
    ...made,
    updatedAt: p.bigint('number'),
  },
});
export type SavedItemRow = RowOf<typeof SavedItemSchema>;
export const SavedItem = entityOf(SavedItemSchema);
export const savedItemTable = tableOf(SavedItemSchema, ['projectId', 'kind', 'id']);

/** What somebody said about something recorded. */
export const CommentSchema = defineEntity({
  name: 'Comment',
  tableName: 'comment',
  properties: {
    projectId: p.text().primary(),
    id: p.text().primary(),
    /** Place in `COMMENT_TARGETS`. */
    targetType: p.smallint(),
    targetId: p.text(),
    /** What the target goes with: its trace (a trace is its own), its dataset, its run. */
    parentId: p.text(),
    text: p.text(),
    ...made,
    editedAt: p.bigint('number').nullable(),
  },
  indexes: [{ name: 'comment_target', properties: ['projectId', 'parentId', 'targetId', 'id'] }],
});
export type CommentRow = RowOf<typeof CommentSchema>;
export const Comment = entityOf(CommentSchema);
export const commentTable = tableOf(CommentSchema, ['projectId', 'id']);

/** A link that opens one trace; of the token in it the SHA-256 alone is kept. */
export const TraceShareSchema = defineEntity({
  name: 'TraceShare',
  tableName: 'trace_share',
  properties: {
    projectId: p.text().primary(),
    id: p.text().primary(),
    traceId: p.text(),
    digest: p.text(),
    ...made,
    expiresAt: p.bigint('number'),
    openedAt: p.bigint('number').nullable(),
  },
  indexes: [{ name: 'trace_share_trace', properties: ['projectId', 'traceId'] }],
  uniques: [{ name: 'trace_share_digest', properties: ['digest'] }],
});
export type TraceShareRow = RowOf<typeof TraceShareSchema>;
export const TraceShare = entityOf(TraceShareSchema);
export const traceShareTable = tableOf(TraceShareSchema, ['projectId', 'id']);
