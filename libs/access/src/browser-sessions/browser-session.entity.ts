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
    /** The API key that was signed in with; `null` for a JWT and for a person. */
    keyId: p.text().nullable(),
    /** `sub` of the JWT that was signed in with; `null` for a key and for a person. */
    subject: p.text().nullable(),
    /** Who signed in with an identity provider; `null` for a key and for a JWT. */
    personId: p.text().nullable(),
    /** JSON; empty for a person, whose roles say it at every request. */
    scopes: p.text(),
    /** When the identity provider last confirmed a person; `null` for others. */
    refreshedAt: p.bigint('number').nullable(),
    /** When a server last began to ask it. */
    refreshingAt: p.bigint('number').nullable(),
    /** What the identity provider gave to be asked with, sealed with the cookie itself: no server can open it alone. */
    sealedTokens: p.text().nullable(),
    expiresAt: p.bigint('number'),
    /** When it was last used, to the minute. */
    usedAt: p.bigint('number'),
    createdAt: p.bigint('number'),
  },
  indexes: [{ name: 'browser_session_person', properties: ['personId'], where: 'person_id is not null' }],
  uniques: [{ name: 'browser_session_digest', properties: ['digest'] }],
});

export type BrowserSessionRow = RowOf<typeof BrowserSessionSchema>;
export const BrowserSession = entityOf(BrowserSessionSchema);
