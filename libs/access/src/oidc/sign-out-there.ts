import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '@spandrel/http';
import { LOGGER, Unavailable, type Logger } from '@spandrel/kernel';
import { BrowserSessionStore } from '../browser-sessions/browser-session.store.js';
import { digestOf } from '../credentials/api-key.js';
import { IdentityProvider } from './identity-provider.js';
import { OidcSettings } from './oidc.settings.js';
import { openTokens } from './sealed-tokens.js';

/** Where a person who signs out here is led to sign out of the identity provider, too (docs/spec/sign-in.md#signing-out). */
@Injectable()
export class SignOutThere {
  constructor(
    private readonly provider: IdentityProvider,
    private readonly settings: OidcSettings,
    private readonly sessions: BrowserSessionStore,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @returns `null` where nobody wants that, or where the provider does not say how: signing out here goes on. */
  async addressFor({ kind }: Caller, cookie: string | undefined): Promise<string | null> {
    if (kind !== 'person' || cookie === undefined || !this.settings.signOutThere || !this.provider.isSet) return null;
    try {
      const [session] = await this.sessions.byDigest([digestOf(cookie)]);
      const opened = session?.sealedTokens ? openTokens(session.sealedTokens, cookie, session.id) : undefined;
      return await this.provider.signOutAddress(opened?.tokens.idToken ?? null);
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      this.logger.warn({ err: error }, 'a person signed out here, and not at the identity provider');
      return null;
    }
  }
}
