import { defineEntity, p } from '@mikro-orm/core';
import type { RowOf } from '@spandrel/storage';

export const TASK_KIND = { span: 0, trace: 1, project: 2 } as const;

/**
 * Something the search index has yet to hear of: written with the change, gone once the index has it. It does not say
 * what changed: anyone who does it looks at what is there then, so that doing it again does no harm.
 */
export const SearchTaskSchema = defineEntity({
  name: 'SearchTask',
  tableName: 'search_task',
  properties: {
    projectId: p.text().primary(),
    /** {@link TASK_KIND}. */
    kind: p.smallint().primary(),
    /** Id of the span or trace; empty for a project. */
    id: p.text().primary(),
    /** When it may be done (again). */
    dueAt: p.bigint('number'),
    /** Who is at it, until it is due again; taken away by every new change, so that it is done once more. */
    claim: p.text().nullable(),
    /** Whether the index has the text already, and the vector alone is missing. */
    texted: p.smallint(),
  },
  indexes: [{ name: 'search_task_due', properties: ['dueAt'] }],
});

export type SearchTaskRow = RowOf<typeof SearchTaskSchema>;

/** How far the spans of a project that were there before have been handed to the index. */
export const SearchStateSchema = defineEntity({
  name: 'SearchState',
  tableName: 'search_state',
  properties: {
    /** Empty: the row that finds the projects, whose ids its `after_id` walks through. */
    projectId: p.text().primary(),
    /** The plugin it is about. */
    indexName: p.text(),
    /** Connection and model that its vectors are of, empty for none; `null`: not known yet. */
    embedding: p.text().nullable(),
    /** The last span that has its task; `null`: all have. */
    afterId: p.text().nullable(),
  },
  indexes: [{ name: 'search_state_unfinished', properties: ['projectId'], where: 'after_id is not null' }],
});

export type SearchStateRow = RowOf<typeof SearchStateSchema>;
