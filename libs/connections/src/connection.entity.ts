import { defineEntity, p } from '@mikro-orm/core';
import { entityOf, type RowOf } from '@spandrel/storage';

/** A provider connection; its key is sealed (docs/spec/connections.md#keys-are-encrypted). */
export const ConnectionSchema = defineEntity({
  name: 'ProviderConnection',
  tableName: 'provider_connection',
  properties: {
    projectId: p.text().primary(),
    id: p.text().primary(),
    name: p.text(),
    provider: p.text(),
    baseUrl: p.text().nullable(),
    defaultModel: p.text().nullable(),
    keyId: p.text(),
    /** Nonce, ciphertext and tag, base64. */
    sealedKey: p.text(),
    createdAt: p.bigint('number'),
    updatedAt: p.bigint('number'),
  },
});

export type ConnectionRow = RowOf<typeof ConnectionSchema>;
export const Connection = entityOf(ConnectionSchema);
