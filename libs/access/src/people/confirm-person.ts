import { setTimeout } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, Unavailable, withinMs, type Logger } from '@spandrel/kernel';
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

/** How often it is looked whether another server has been answered. */
const LOOK_MS = 50;

/** How long a request waits for the provider; it goes on being asked beside. */
const WAIT_MS_MAX = 3_000;

/** Nobody knows whether a person may still be let in: the provider has not said so for too long. */
export class NotConfirmed extends Unavailable {
  constructor(cause?: unknown) {
    super('the identity provider has not confirmed you for too long and did not answer; try again soon', { cause });
  }
}

/** Has the identity provider confirm the person of a session again (docs/spec/sign-in.md#how-long-a-person-stays). */
@Injectable()
export class ConfirmPerson {
  private readonly running = new Map<string, Promise<void>>();

  constructor(
    private readonly storage: Storage,
    private readonly provider: IdentityProvider,
    private readonly settings: OidcSettings,
    private readonly keepPerson: KeepPerson,
    private readonly people: PersonStore,
    private readonly sessions: BrowserSessionStore,
    private readonly signOut: SignOut,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Has a session confirmed that is due; one whose time has run out is waited for.
   * @param cookie that of the session.
   * @returns whether it was waited for: what was known of the session may have changed.
   * @throws NotConfirmed where its time has run out and the provider does not answer.
   */
  async keep(session: FoundSession, cookie: string): Promise<boolean> {
    const age = session.personId === null ? 0 : Date.now() - (session.refreshedAt ?? 0);
    if (age < this.settings.refreshMs * DUE) return false;
    const running = this.runOnce(session, cookie);
    if (age < this.settings.refreshMs) {
      running.catch((error: unknown) => {
        this.logger.warn({ err: error }, 'a person could not be confirmed by the identity provider; it is asked again');
      });
      return false;
    }
    await withinMs(WAIT_MS_MAX, running, () => {
      throw new NotConfirmed();
    });
    return true;
  }

  private runOnce(session: FoundSession, cookie: string): Promise<void> {
    const { id } = session;
    let running = this.running.get(id);
    if (!running) {
      running = this.execute(session, cookie).finally(() => this.running.delete(id));
      this.running.set(id, running);
    }
    return running;
  }

  /** Asks the provider, unless another server does so just now, and keeps what it says. */
  private async execute(session: FoundSession, cookie: string): Promise<void> {
    const now = Date.now();
    const isOurs = await this.storage.write((tx) =>
      this.sessions.beginConfirming(tx, session, now, now - ASKING_MS_MAX),
    );
    if (!isOurs) return this.waitForOther(session, now);
    try {
      await this.confirm(session, cookie);
    } catch (error) {
      await this.storage.write((tx) => this.sessions.endConfirming(tx, session.id));
      throw error instanceof Unavailable ? new NotConfirmed(error) : error;
    }
  }

  /** Another request had the session confirmed since it was looked up, or another server asks just now: that counts here. */
  private async waitForOther({ digest, refreshedAt }: FoundSession, since: number): Promise<void> {
    if (since - (refreshedAt ?? 0) < this.settings.refreshMs) return;
    while (Date.now() - since < WAIT_MS_MAX) {
      const [row] = await this.sessions.byDigest([digest]);
      if (!row || row.refreshedAt !== refreshedAt) return;
      await setTimeout(LOOK_MS);
    }
    throw new NotConfirmed();
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
