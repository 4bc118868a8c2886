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
    prefix: p.text(),
    /** SHA-256 of the key, hex. */
    digest: p.text(),
    /** JSON. */
    scopes: p.text(),
    /** `null`: it does not end. */
    expiresAt: p.bigint('number').nullable(),
    createdAt: p.bigint('number'),
    /** Who made it, as the audit log names them (`person:<id>`, `key:<id>`, `admin`); `null` where nobody knows any more. */
    maker: p.text().nullable(),
    makerName: p.text().nullable(),
    /** The person whose membership it ends with; `null` for a key of a service account. */
    makerPersonId: p.text().nullable(),
    /** Since when it is refused because of its maker, as the audit log has it; `null`: it is not. */
    suspendedAt: p.bigint('number').nullable(),
    /** When it was last used, to the minute. */
    usedAt: p.bigint('number').nullable(),
    /** Requests per second; `null`: the service's default. */
    rateLimit: p.integer().nullable(),
    /** The session that it was made in, whose tokens it opens to have its maker confirmed. */
    sessionId: p.text().nullable(),
    /** What opens those tokens, sealed with the key itself. */
    tokenKey: p.text().nullable(),
  },
  indexes: [
    { name: 'api_key_org', properties: ['orgId', 'id'] },
    { name: 'api_key_maker', properties: ['makerPersonId'], where: 'maker_person_id is not null' },
    { name: 'api_key_session', properties: ['sessionId'], where: 'session_id is not null' },
  ],
  uniques: [{ name: 'api_key_digest', properties: ['digest'] }],
});

export type ApiKeyRow = RowOf<typeof ApiKeySchema>;
export const ApiKey = entityOf(ApiKeySchema);
