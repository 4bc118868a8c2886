import { defineEntity, p } from '@mikro-orm/core';
import type { RowOf } from '@spandrel/storage';

/** A server of cloud mode that runs, with the secret keys it has. */
export const KeyHolderSchema = defineEntity({
  name: 'KeyHolder',
  tableName: 'key_holder',
  properties: {
    /** Made by the server at its start. */
    id: p.text().primary(),
    host: p.text(),
    /** JSON: ids of its keys, the one that seals first. */
    keyIds: p.text(),
    seenAt: p.bigint('number'),
  },
});

export type KeyHolderRow = RowOf<typeof KeyHolderSchema>;
