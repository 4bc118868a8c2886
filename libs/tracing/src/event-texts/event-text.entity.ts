import { defineEntity, p } from '@mikro-orm/core';

/**
 * Texts of spans that have changed or are gone, while the event log refers to them (ADR 0035). A row has those that a change
 * took away; `null` is a member that it left as it was. A text is what events up to `throughSeq` refer to that are behind
 * the `throughSeq` of the row before with a text of that member.
 */
export const EventTextSchema = defineEntity({
  name: 'EventText',
  tableName: 'event_text',
  properties: {
    projectId: p.text().primary(),
    spanId: p.text().primary(),
    /** The newest number of the project's events when the text changed. */
    throughSeq: p.bigint('number').primary(),
    kind: p.text().nullable(),
    input: p.text().nullable(),
    output: p.text().nullable(),
    metadata: p.text().nullable(),
    error: p.text().nullable(),
  },
  indexes: [{ name: 'event_text_through', properties: ['projectId', 'throughSeq'] }],
});
