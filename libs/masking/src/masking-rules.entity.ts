import { defineEntity, p } from '@mikro-orm/core';
import type { RowOf } from '@spandrel/storage';

/** How the texts of a project are masked; a project without a row masks nothing. */
export const MaskingRulesSchema = defineEntity({
  name: 'MaskingRules',
  tableName: 'masking_rules',
  properties: {
    projectId: p.text().primary(),
    /** JSON: a list of `MaskingRule`. */
    rules: p.text(),
    /** Key of the project's hashes, base64url; made with the row, so that equal values stay equal whatever the rules. */
    hashKey: p.text(),
    updatedAt: p.bigint('number'),
  },
});

export type MaskingRulesRow = RowOf<typeof MaskingRulesSchema>;
