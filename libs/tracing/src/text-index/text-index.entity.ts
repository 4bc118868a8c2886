import { defineEntity, p } from '@mikro-orm/core';

/** What has become of a slice: its place is reserved, it has a filter, or it is too large for one and is always read. */
export const SLICE_STATE = { open: 0, filtered: 1, unfiltered: 2 } as const;

/** Up to which start the spans of a project lie in slices (ADR 0037). */
export const IndexWatermarkSchema = defineEntity({
  name: 'IndexWatermark',
  tableName: 'text_watermark',
  properties: {
    projectId: p.text().primary(),
    /** Spans that start before it lie in slices; who changes one of them notes it in `text_pending`. */
    startedUntil: p.bigint('number'),
    /** The server that makes slices of the project, and until when it has the project to itself. */
    leasedBy: p.text(),
    leasedUntil: p.bigint('number'),
  },
});

/**
 * Spans of a project that started within a range, with a filter of what their texts contain. The slices of a project lie
 * one behind the other, from the earliest start that there can be to the watermark.
 */
export const TextSliceSchema = defineEntity({
  name: 'TextSlice',
  tableName: 'text_slice',
  properties: {
    projectId: p.text().primary(),
    startedFrom: p.bigint('number').primary(),
    /** Not within the range. */
    startedUntil: p.bigint('number'),
    /** {@link SLICE_STATE}. */
    state: p.smallint(),
    /** How many spans it was made of. */
    spans: p.bigint('number'),
    /** The filter of a filtered slice: see `gram-filter.ts`. */
    grams: p.blob().nullable(),
  },
  indexes: [{ name: 'text_slice_open', properties: ['projectId', 'startedFrom'], where: 'state = 0' }],
});

/** A span whose texts changed after its place had come to be in a slice. Searches read it until the filter holds it. */
export const PendingTextSchema = defineEntity({
  name: 'PendingText',
  tableName: 'text_pending',
  properties: {
    projectId: p.text().primary(),
    startedAt: p.bigint('number').primary(),
    spanId: p.text().primary(),
    /** Another number with every change, so that only what was read is taken out again. */
    mark: p.bigint('number'),
  },
});
