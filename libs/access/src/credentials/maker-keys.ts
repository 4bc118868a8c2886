import { Injectable } from '@nestjs/common';
import { AuditTrail } from '@spandrel/audit';
import type { ActingParty } from '@spandrel/kernel';
import type { WriteTx } from '@spandrel/storage';
import type { Caller } from '@spandrel/http';
import { AccessSettings } from '../access.settings.js';
import { ApiKeyStore } from './credential.store.js';
import { auditedKey, type TokenKeyFor, suspensionOf, digestOf } from './api-keys.js';
import { BrowserSessionStore } from '../browser-sessions/browser-session.store.js';
import { OidcSettings } from '../oidc/oidc.settings.js';
import { openTokens, sealTokenKey } from '../oidc/sealed-tokens.js';

/**
 * Writes to the audit log which keys of a person are refused from now on, and which are valid again, in the transaction that
 * changes their roles or their standing at the identity provider (docs/spec/access.md#keys-of-people).
 */
@Injectable()
export class MakerKeys {
  constructor(
    private readonly store: ApiKeyStore,
    private readonly audit: AuditTrail,
    private readonly settings: AccessSettings,
  ) {}

  /** @param actor who does it, where the request itself does not say. */
  async review(tx: WriteTx, personId: string, actor?: ActingParty): Promise<void> {
    if (!this.settings.keysEndWithMaker) return;
    await tx.em.flush();
    const now = Date.now();
    for (const key of await this.store.ofMaker(tx, personId)) {
      const reason = suspensionOf({ ...key, makerHasRole: key.makerRole !== null }, this.settings, now);
      if ((reason !== undefined) === (key.suspendedAt !== null)) continue;
      if (!(await this.store.suspend(tx, key.id, reason === undefined ? null : now))) continue;
      const { details, ...target } = auditedKey(key);
      this.audit.record(tx, {
        ...{ action: reason === undefined ? 'key.resumed' : 'key.suspended', ...target },
        details: { ...details, ...(reason !== undefined && { reason }) },
        ...(actor && { actor }),
      });
    }
  }
}

/**
 * Gives an API key that a person makes in a browser the key of the tokens of the session, sealed with the API key, to have this
 * person confirmed (docs/spec/access.md#keys-of-people). Only refresh tokens by `offline_access` outlast the session.
 */
@Injectable()
export class MakerTokenKey {
  constructor(
    private readonly sessions: BrowserSessionStore,
    private readonly settings: OidcSettings,
  ) {}

  /** @param cookie the one that the request came with. */
  from(caller: Caller | null, cookie: string | undefined): TokenKeyFor | undefined {
    const isOffline = this.settings.scopes.split(' ').includes('offline_access');
    if (caller?.kind !== 'person' || cookie === undefined || !isOffline) return undefined;
    return async (tx, apiKey, keyId) => {
      const row = await this.sessions.find(tx, digestOf(cookie));
      const opened = row?.sealedTokens ? openTokens(row.sealedTokens, cookie, row.id) : undefined;
      if (!row || !opened || opened.tokens.refreshToken === null) return undefined;
      return { sessionId: row.id, sealed: sealTokenKey(opened.tokenKey, apiKey, keyId) };
    };
  }
}
