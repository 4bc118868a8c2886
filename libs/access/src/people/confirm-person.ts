import { setTimeout } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, Unavailable, withinMs, type Logger } from '@spandrel/kernel';
import { retryStorageWrite, Storage, type WriteTx } from '@spandrel/storage';
import { BrowserSessionStore, type FoundSession } from '../browser-sessions/browser-session.store.js';
import { SignOut } from '../browser-sessions/sign-in.js';
import { CONFIRMING_MS_MAX, IdentityProvider } from '../oidc/identity-provider.js';
import { OidcSettings } from '../oidc/oidc.settings.js';
import type { KeyRow } from '../credentials/credential.store.js';
import {
  openTokenKey,
  openTokens,
  openTokensWith,
  resealTokens,
  sealTokens,
  type OpenedTokens,
  type ProviderTokens,
} from '../oidc/sealed-tokens.js';
import { KeepPerson } from './sign-in-person.js';
import { PersonStore } from './person.store.js';

/** The part of `auth.oidc.refresh` after which a session is confirmed again; the rest is for a provider that is slow. */
const DUE = 0.8;

/** A server that began to ask and has not come back after this time has died: what it exchanged is refused to others. */
const ASKING_MS_MAX = CONFIRMING_MS_MAX + 8_000;

/** How long tokens that the provider gave are held while the database cannot take them: it gives each once. */
const HOLDING_MS_MAX = 600_000;

/** How often it is looked whether another server has been answered. */
const LOOK_MS = 50;

/** How long a request waits for the provider; it goes on being asked beside. */
const WAIT_MS_MAX = 3_000;

/** Nobody knows whether a person may still be let in: the provider has not confirmed it for too long. */
export class NotConfirmed extends Unavailable {
  constructor(cause?: unknown) {
    super('the identity provider has not confirmed you for too long and did not answer; try again soon', { cause });
  }
}

type ConfirmedSession = Pick<FoundSession, 'id' | 'personId' | 'refreshedAt' | 'sealedTokens'>;

/** What an API key has its maker confirmed by; `sessionRefreshedAt`: when that was done last. */
type MakersKey = Pick<KeyRow, 'id' | 'sessionId' | 'tokenKey' | 'sessionRefreshedAt'>;

type Opener = (session: ConfirmedSession) => OpenedTokens | undefined;

/** How long a provider that did not answer is not asked again for the requests of an API key. */
const PAUSE_MS = 30_000;

/** Has the identity provider confirm the person of a session again (docs/spec/sign-in.md#how-long-a-person-stays). */
@Injectable()
export class ConfirmPerson {
  private readonly running = new Map<string, Promise<void>>();
  /** When the provider did not answer last, asked by an API key, by session. */
  private readonly failedAt = new Map<string, number>();

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
   * Has a session confirmed that is due; one whose time has run out is waited for. @returns whether it was.
   * @throws NotConfirmed where its time has run out and the provider does not answer.
   */
  async keep(session: FoundSession, cookie: string): Promise<boolean> {
    const age = session.personId === null ? 0 : Date.now() - (session.refreshedAt ?? 0);
    if (age < this.settings.refreshMs * DUE) return false;
    const running = this.runOnce(session.id, () => this.execute(session, openerBy(cookie), cookie));
    if (age < this.settings.refreshMs) {
      running.catch((error: unknown) => this.warn(error));
      return false;
    }
    await withinMs(WAIT_MS_MAX, running, () => {
      throw new NotConfirmed();
    });
    return true;
  }

  /** Has the maker of an API key confirmed beside a request of the key. Never throws. */
  keepMaker({ id, sessionId, tokenKey, sessionRefreshedAt }: MakersKey, apiKey: string): void {
    if (sessionId === null || tokenKey === null || sessionRefreshedAt === null) return;
    const now = Date.now();
    if (now - sessionRefreshedAt < this.settings.refreshMs * DUE || !this.provider.isSet) return;
    if (now - (this.failedAt.get(sessionId) ?? 0) < PAUSE_MS) return;
    const key = openTokenKey(tokenKey, apiKey, id);
    if (!key) return;
    const opener: Opener = ({ sealedTokens, id: of }) =>
      sealedTokens === null ? undefined : openTokensWith(sealedTokens, key, of);
    this.runOnce(sessionId, () => this.executeFor(sessionId, opener)).catch((error: unknown) => {
      if (this.failedAt.size > 10_000) this.failedAt.clear();
      this.failedAt.set(sessionId, now);
      this.warn(error);
    });
  }

  private warn(error: unknown): void {
    this.logger.warn({ err: error }, 'a person could not be confirmed by the identity provider; it is asked again');
  }

  private runOnce(sessionId: string, execute: () => Promise<void>): Promise<void> {
    let running = this.running.get(sessionId);
    if (!running) {
      running = execute().finally(() => this.running.delete(sessionId));
      this.running.set(sessionId, running);
    }
    return running;
  }

  /** Asks the provider, unless another server does so just now, and keeps what it says. */
  private async execute(session: FoundSession, open: Opener, cookie: string): Promise<void> {
    const now = Date.now();
    if (await this.begin(session, now)) return this.finish(session, open, cookie);
    return this.waitForOther(session, now);
  }

  /** {@link execute} without waiting for another server, by the id of a session that may have ended. */
  private async executeFor(sessionId: string, open: Opener): Promise<void> {
    const session = await this.sessions.findById(sessionId);
    if (session && (await this.begin(session, Date.now()))) await this.finish(session, open);
  }

  private begin(session: ConfirmedSession, now: number): Promise<boolean> {
    return this.storage.write((tx) => this.sessions.beginConfirming(tx, session, now, now - ASKING_MS_MAX));
  }

  private async finish(session: ConfirmedSession, open: Opener, cookie?: string): Promise<void> {
    try {
      await this.confirm(session, open, cookie);
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

  private async confirm(session: ConfirmedSession, open: Opener, cookie?: string): Promise<void> {
    const person = await this.people.find(session.personId!);
    const opened = open(session);
    const isSame = person && person.issuer === this.settings.issuer && opened;
    const confirmed = isSame ? await this.provider.confirmAgain(person.subject, opened.tokens) : 'tokens_ended';
    const write = async (tx: WriteTx): Promise<void> => {
      const row = await this.sessions.findForWrite(tx, session.id);
      // Tokens that another server has exchanged since are refused, not the person.
      if (!row || (typeof confirmed === 'string' && row.refreshedAt !== session.refreshedAt)) return;
      if (typeof confirmed === 'string') {
        await this.signOut.endForGood(tx, row);
        if (confirmed === 'refused') await this.keepPerson.refuse(tx, session.personId!);
        return;
      }
      if ('identity' in confirmed) {
        await this.keepPerson.execute(tx, confirmed.identity);
        row.refreshedAt = Date.now();
      }
      row.refreshingAt = null;
      row.sealedTokens = sealedAgain(row, confirmed.tokens, opened!.tokenKey, cookie);
    };
    await retryStorageWrite(() => this.storage.write(write), {
      kill: AbortSignal.timeout(HOLDING_MS_MAX),
      failed: (err) =>
        this.logger.warn({ err }, 'what the identity provider said could not be stored; it is tried again'),
    });
    if (typeof confirmed === 'object' && 'problem' in confirmed) throw confirmed.problem;
  }
}

const openerBy =
  (cookie: string): Opener =>
  ({ sealedTokens, id }) =>
    sealedTokens === null ? undefined : openTokens(sealedTokens, cookie, id);

/** The session may have another cookie by now, which opens what is sealed again as well. */
function sealedAgain(
  { sealedTokens, id }: Pick<ConfirmedSession, 'sealedTokens' | 'id'>,
  tokens: ProviderTokens,
  tokenKey: Buffer,
  cookie: string | undefined,
): string | null {
  if (sealedTokens !== null) return resealTokens(sealedTokens, tokens, tokenKey, id);
  return cookie === undefined ? null : sealTokens(tokens, cookie, id, tokenKey);
}
