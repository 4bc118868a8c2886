import { Injectable } from '@nestjs/common';
import { Unavailable } from '@spandrel/kernel';
import { Storage } from '@spandrel/storage';
import { BrowserSessionStore, type FoundSession } from '../browser-sessions/browser-session.store.js';
import { SignOut } from '../browser-sessions/sign-out.js';
import { IdentityProvider } from '../oidc/identity-provider.js';
import { OidcSettings } from '../oidc/oidc.settings.js';
import { openTokens, sealTokens } from '../oidc/sealed-tokens.js';
import { KeepPerson } from './keep-person.js';
import { PersonStore } from './person.store.js';

/** The part of `auth.oidc.refresh` after which a session is confirmed again; the rest is for a provider that is slow. */
const DUE = 0.8;

/** A server that began to ask and has not come back after this time has died. */
const ASKING_MS_MAX = 20_000;

/** Has the identity provider confirm the person of a session again (docs/spec/sign-in.md#how-long-a-person-stays). */
@Injectable()
export class ConfirmPerson {
  constructor(
    private readonly storage: Storage,
    private readonly provider: IdentityProvider,
    private readonly settings: OidcSettings,
    private readonly keepPerson: KeepPerson,
    private readonly people: PersonStore,
    private readonly sessions: BrowserSessionStore,
    private readonly signOut: SignOut,
  ) {}

  /** Whether a session is to be confirmed before it counts. */
  isDue({ personId, refreshedAt }: FoundSession): boolean {
    return personId !== null && Date.now() - (refreshedAt ?? 0) >= this.settings.refreshMs * DUE;
  }

  /**
   * Asks about the person of a session, unless another request does so just now, and keeps what the provider says; the
   * session ends where the person is not confirmed.
   * @param cookie that of the session.
   * @throws Unavailable where the provider does not answer and has not for `auth.oidc.refresh`.
   */
  async execute(session: FoundSession, cookie: string): Promise<void> {
    const now = Date.now();
    const isLate = now - (session.refreshedAt ?? 0) >= this.settings.refreshMs;
    const isOurs = await this.storage.write((tx) =>
      this.sessions.beginConfirming(tx, session, now, now - ASKING_MS_MAX),
    );
    if (!isOurs) {
      if (isLate) throw new Unavailable('the identity provider is being asked about you; try again soon');
      return;
    }
    try {
      await this.confirm(session, cookie);
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      await this.storage.write((tx) => this.sessions.endConfirming(tx, session.id));
      if (isLate) throw error;
    }
  }

  private async confirm(session: FoundSession, cookie: string): Promise<void> {
    const person = await this.people.find(session.personId!);
    const tokens = session.sealedTokens === null ? undefined : openTokens(session.sealedTokens, cookie, session.id);
    const isSame = person && person.issuer === this.settings.issuer && tokens;
    const confirmed = isSame ? await this.provider.confirmAgain(person.subject, tokens) : undefined;
    await this.storage.write(async (tx) => {
      const row = await this.sessions.find(tx, session.digest);
      if (!row) return;
      if (!confirmed) return this.signOut.end(tx, row);
      await this.keepPerson.execute(tx, confirmed.identity);
      row.refreshedAt = Date.now();
      row.refreshingAt = null;
      row.sealedTokens = sealTokens(confirmed.tokens, cookie, session.id);
    });
  }
}
