import { Injectable } from '@nestjs/common';
import type { Caller } from '@spandrel/http';
import { BrowserSessionStore } from '../browser-sessions/browser-session.store.js';
import { digestOf } from '../credentials/api-key.js';
import type { TokenKeyFor } from '../credentials/api-keys.js';
import { OidcSettings } from '../oidc/oidc.settings.js';
import { openTokens, sealTokenKey } from '../oidc/sealed-tokens.js';

/**
 * Gives an API key that a person makes in a browser what it has this person confirmed by, also when the browser is closed: the
 * key of the session's tokens, sealed with the API key itself (docs/spec/access.md#keys-of-people). Refresh tokens that last
 * no longer than somebody is signed in at the provider would say nothing of the person: this needs `offline_access`.
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
