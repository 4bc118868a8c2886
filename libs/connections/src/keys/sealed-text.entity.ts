import { defineEntity, p } from '@mikro-orm/core';
import { entityOf, type RowOf } from '@spandrel/storage';

/** A secret text that another feature keeps, sealed as the keys of connections are. */
export const SealedTextSchema = defineEntity({
  name: 'SealedText',
  tableName: 'sealed_text',
  properties: {
    projectId: p.text().primary(),
    id: p.text().primary(),
    keyId: p.text(),
    sealedKey: p.text(),
  },
});

export type SealedTextRow = RowOf<typeof SealedTextSchema>;
export const SealedText = entityOf(SealedTextSchema);
