import { defineEntity, p } from '@mikro-orm/core';
import { entityOf, type RowOf } from '@spandrel/storage';

/** A browser that is signed in. Neither the cookie nor the credential can be had from it. */
export const BrowserSessionSchema = defineEntity({
  name: 'BrowserSession',
  tableName: 'browser_session',
  properties: {
    id: p.text().primary(),
    /** SHA-256 of the cookie, hex. */
    digest: p.text(),
    orgId: p.text(),
    projectId: p.text(),
    /** The API key that was signed in with; `null` for a JWT. */
    keyId: p.text().nullable(),
    /** `sub` of the JWT that was signed in with; `null` for a key. */
    subject: p.text().nullable(),
    /** JSON. */
    scopes: p.text(),
    /** The end at the latest. */
    expiresAt: p.bigint('number'),
    /** When it was last used, to the minute. */
    usedAt: p.bigint('number'),
    createdAt: p.bigint('number'),
  },
  uniques: [{ name: 'browser_session_digest', properties: ['digest'] }],
});

export type BrowserSessionRow = RowOf<typeof BrowserSessionSchema>;
export const BrowserSession = entityOf(BrowserSessionSchema);
