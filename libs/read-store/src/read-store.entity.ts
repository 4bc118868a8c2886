import { defineEntity, p } from '@mikro-orm/core';
import type { RowOf } from '@spandrel/storage';

/**
 * What a change is about: a span, a trace that was deleted, a project of which all spans are to be loaded, a trace that is
 * other than it was, or a project of which all traces are.
 */
export const CHANGE_KIND = { span: 0, trace: 1, project: 2, traceRow: 3, projectTraces: 4 } as const;

/**
 * Something that the read store does not have yet: written with the change, gone once the store has it. Until then the
 * database answers for it. It does not say what changed: who loads it looks at what is there then.
 */
export const ReadStoreChangeSchema = defineEntity({
  name: 'ReadStoreChange',
  tableName: 'read_store_change',
  properties: {
    projectId: p.text().primary(),
    kind: p.smallint().primary(),
    /** Id of the span or trace; empty for a project. */
    id: p.text().primary(),
    /** Grows with every change of the same, so that who loads it sees that there was one more. */
    seq: p.integer(),
    /** When it was noted first, in milliseconds since the epoch. */
    notedAt: p.bigint('number'),
    /** Whether a span has other places in the store: its start or its trace changed, or it was deleted. */
    moved: p.smallint(),
    /** The last span or trace of a project that was loaded; `null` before the first, and for anything but a project. */
    afterId: p.text().nullable(),
  },
  indexes: [{ name: 'read_store_change_noted', properties: ['kind', 'notedAt'] }],
});

export type ReadStoreChangeRow = RowOf<typeof ReadStoreChangeSchema>;

/** How far the store has come, and which server fills it: one row. */
export const ReadStoreStateSchema = defineEntity({
  name: 'ReadStoreState',
  tableName: 'read_store_state',
  properties: {
    id: p.text().primary(),
    /** What the store must say that its content is; another one is not asked. */
    content: p.text(),
    /** The number of the last batch that was begun. */
    batch: p.bigint('number'),
    /** The number of the last batch that the store has, as far as is known. */
    confirmed: p.bigint('number'),
    holder: p.text(),
    leaseUntil: p.bigint('number'),
  },
});

export type ReadStoreStateRow = RowOf<typeof ReadStoreStateSchema>;

/** What is known of the texts of a day of a project. */
export const DAY_STATE = {
  /** Something of it was written since it was looked at. */
  open: 0,
  /** The texts are being compared, and nothing of it was written since that began. */
  comparing: 1,
  /** The store has them as the database does, which may give them away. */
  agreed: 2,
  /** The database has given them away. */
  cold: 3,
  /** The store does not have what the database has or had. */
  differs: 4,
} as const;

/** A day of a project that is older than `retention.hot_days` (ADR 0087). */
export const ReadStoreDaySchema = defineEntity({
  name: 'ReadStoreDay',
  tableName: 'read_store_day',
  properties: {
    projectId: p.text().primary(),
    day: p.integer().primary(),
    state: p.smallint(),
    /** Whether the store alone has texts of it, of all of its spans or of some. */
    isCold: p.smallint(),
  },
});

export type ReadStoreDayRow = RowOf<typeof ReadStoreDaySchema>;
