import { defineEntity, p } from '@mikro-orm/core';
import { entityOf, type RowOf } from '@spandrel/storage';

/** An API key. The key itself is nowhere. */
export const ApiKeySchema = defineEntity({
  name: 'ApiKey',
  tableName: 'api_key',
  properties: {
    id: p.text().primary(),
    orgId: p.text(),
    projectId: p.text(),
    name: p.text(),
    /** How the key begins. */
    prefix: p.text(),
    /** SHA-256 of the key, hex. */
    digest: p.text(),
    /** JSON. */
    scopes: p.text(),
    /** `null`: it does not end. */
    expiresAt: p.bigint('number').nullable(),
    createdAt: p.bigint('number'),
  },
  indexes: [{ name: 'api_key_org', properties: ['orgId', 'id'] }],
  uniques: [{ name: 'api_key_digest', properties: ['digest'] }],
});

export type ApiKeyRow = RowOf<typeof ApiKeySchema>;
export const ApiKey = entityOf(ApiKeySchema);
