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
    /** Id of the secret key that sealed `sealedKey`; empty until a rule hashes. */
    keyId: p.text().default(''),
    /** Key of the project's hashes, sealed; it stays, so that equal values stay equal whatever the rules. */
    sealedKey: p.text().default(''),
    updatedAt: p.bigint('number'),
  },
});

export type MaskingRulesRow = RowOf<typeof MaskingRulesSchema>;
