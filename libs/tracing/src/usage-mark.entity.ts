import { defineEntity, p } from '@mikro-orm/core';

/** A span that has not come yet, or was deleted, and has usage below it (ADR 0024). */
export const UsageMarkSchema = defineEntity({
  name: 'UsageMark',
  tableName: 'usage_mark',
  properties: {
    projectId: p.text().primary(),
    traceId: p.text().primary(),
    /** 16 hex digits: the id that the sender gave. */
    spanId: p.text().primary(),
  },
});
