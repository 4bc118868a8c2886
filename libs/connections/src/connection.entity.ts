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
