import { Inject, Injectable } from '@nestjs/common';
import { formatTimestamp, isFeedbackAlone, type Deleted } from '@spandrel/contract';
import { actingParty, GATEKEEPER, type Caller, type Gatekeeper } from '@spandrel/http';
import { DomainError, newId, LOGGER, NotFound, Unavailable, type Logger, BackgroundTasks } from '@spandrel/kernel';
import { AuditTrail } from '@spandrel/audit';
import { Storage, type WriteTx } from '@spandrel/storage';
import { digestOf } from '../credentials/api-keys.js';
import { BrowserSession, type BrowserSessionRow } from './browser-session.entity.js';
import { BrowserSessionStore } from './browser-session.store.js';
import { newSessionToken, SESSION_MS_MAX, UNUSED_MS_MAX } from './session-cookie.js';
import { IdentityProvider } from '../oidc/identity-provider.js';
import { OidcSettings } from '../oidc/oidc.settings.js';
import { openTokens } from '../oidc/sealed-tokens.js';

/** Signs a browser out (docs/spec/sign-in.md#signing-out). */
@Injectable()
export class SignOut {
  constructor(
    private readonly storage: Storage,
    private readonly store: BrowserSessionStore,
    private readonly audit: AuditTrail,
    private readonly settings: OidcSettings,
    private readonly provider: IdentityProvider,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Where a person who signs out here signs out of the identity provider, too; `null`: nowhere. */
  async addressThere({ kind }: Caller, cookie: string | undefined): Promise<string | null> {
    if (kind !== 'person' || cookie === undefined || !this.settings.signOutThere || !this.provider.isSet) return null;
    try {
      const [session] = await this.store.byDigest([digestOf(cookie)]);
      const opened = session?.sealedTokens ? openTokens(session.sealedTokens, cookie, session.id) : undefined;
      return await this.provider.signOutAddress(opened?.tokens.idToken ?? null);
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      this.logger.warn({ err: error }, 'a person signed out here, and not at the identity provider');
      return null;
    }
  }

  /** Ends the session that a request came with. @throws NotFound `session_not_found` where it came with none. */
  async execute(caller: Caller): Promise<Deleted> {
    const { sessionId: id, scope } = caller;
    if (id === undefined || !scope) {
      const detail = 'this request came with a credential and with no session that could be ended';
      throw new NotFound('session_not_found', detail);
    }
    await this.storage.write(async (tx) => {
      const isThere = this.settings.signOutThere ? this.store.delete(tx, id) : this.store.end(tx, id);
      if (!(await isThere)) return;
      const { orgId, projectId } = scope;
      this.audit.record(tx, { action: 'session.deleted', orgId, ...audited(id, projectId) });
    });
    return { id, deleted: true };
  }

  /** Ends the session of a browser that signs in again. @param digest of its cookie; `null`: it had none. */
  async endReplaced(tx: WriteTx, digest: string | null): Promise<void> {
    const row = digest === null ? null : await this.store.find(tx, digest);
    if (row && (await this.store.end(tx, row.id))) this.record(tx, row);
  }

  /** Ends the session of a person who is not confirmed any more, with its tokens. */
  async endForGood(tx: WriteTx, row: BrowserSessionRow): Promise<void> {
    if (await this.store.delete(tx, row.id)) this.record(tx, row);
  }

  private record(tx: WriteTx, row: BrowserSessionRow): void {
    const { id, orgId, projectId } = row;
    const actor = { name: nameOf(row), label: null };
    this.audit.record(tx, { action: 'session.deleted', orgId, ...audited(id, projectId), actor });
  }
}

/** Who signed in, as the audit log names it. */
const nameOf = ({ keyId, subject, personId }: BrowserSessionRow): string =>
  personId !== null ? `person:${personId}` : keyId === null ? `jwt:${subject}` : `key:${keyId}`;

const audited = (targetId: string, projectId: string) => ({
  ...{ targetId, projectId },
  details: { project_id: projectId },
});

export interface SignedIn {
  caller: Caller;
  /** The cookie's value, which cannot be had again. */
  token: string;
  lastsMs: number;
}

/** Signs a browser in (docs/spec/sign-in.md#signing-in). */
@Injectable()
export class SignIn {
  constructor(
    private readonly storage: Storage,
    private readonly signOut: SignOut,
    private readonly audit: AuditTrail,
    @Inject(GATEKEEPER) private readonly gatekeeper: Gatekeeper,
  ) {}

  /**
   * @param replaced cookie of the session that the browser had until now; it ends.
   * @throws DomainError `unauthenticated`, `insufficient_scope` for the operator's credential, `unavailable`.
   */
  async execute(credential: string, replaced: string | undefined): Promise<SignedIn> {
    const holder = await this.gatekeeper.authenticate({ by: 'credential', text: credential });
    const token = newSessionToken();
    const row = sessionRow(holder, token, Date.now());
    await this.storage.write(async (tx) => {
      await this.signOut.endReplaced(tx, replaced === undefined ? null : digestOf(replaced));
      tx.em.create(BrowserSession, row);
      this.audit.record(tx, {
        action: 'session.created',
        ...{ orgId: row.orgId, projectId: row.projectId, targetId: row.id, actor: actingParty(holder) },
        details: { project_id: row.projectId, expires_at: formatTimestamp(row.expiresAt) },
      });
    });
    const { id: sessionId, expiresAt, createdAt } = row;
    return { caller: { ...holder, expiresAt, sessionId }, token, lastsMs: expiresAt - createdAt };
  }
}

function sessionRow(
  { kind, id, scope, permissions, expiresAt }: Caller,
  token: string,
  now: number,
): BrowserSessionRow {
  if (!scope) {
    const detail = "the operator's tokens belong to no project and cannot sign in: use an API key of a project";
    throw new DomainError('insufficient_scope', detail);
  }
  if (isFeedbackAlone(permissions)) {
    throw new DomainError('insufficient_scope', 'this credential may only send feedback, by POST /api/scores');
  }
  return {
    id: newId(),
    digest: digestOf(token),
    ...scope,
    keyId: kind === 'api_key' ? id : null,
    subject: kind === 'api_key' ? null : id,
    personId: null,
    refreshedAt: null,
    refreshingAt: null,
    sealedTokens: null,
    scopes: JSON.stringify(permissions),
    expiresAt: Math.min(now + SESSION_MS_MAX, expiresAt ?? Infinity),
    usedAt: now,
    createdAt: now,
  };
}

/** Deletes sessions that have ended, which nothing can bring back. */
@Injectable()
export class DeleteEndedSessions {
  constructor(
    private readonly storage: Storage,
    private readonly store: BrowserSessionStore,
    tasks: BackgroundTasks,
  ) {
    tasks.add({
      everyMs: 3_600_000,
      firstMs: 10_000,
      task: () => this.execute(Date.now()),
      failure: 'sessions that have ended could not be deleted; they will be at the next time',
    });
  }

  /** Deletes what has ended at a time, in milliseconds since the epoch. */
  async execute(now: number): Promise<void> {
    await this.storage.write((tx) => this.store.deleteEnded(tx, now, now - UNUSED_MS_MAX));
  }
}
