import { Inject, Injectable } from '@nestjs/common';
import { formatTimestamp } from '@spandrel/contract';
import { actingParty, GATEKEEPER, type Caller, type Gatekeeper } from '@spandrel/http';
import { DomainError, newId } from '@spandrel/kernel';
import { AuditTrail } from '@spandrel/audit';
import { Storage } from '@spandrel/storage';
import { digestOf } from '../credentials/api-key.js';
import type { BrowserSessionRow } from './browser-session.entity.js';
import { BrowserSessionStore } from './browser-session.store.js';
import { newSessionToken, SESSION_MS_MAX } from './session-cookie.js';
import { SignOut } from './sign-out.js';

/** A browser that was signed in just now. */
export interface SignedIn {
  caller: Caller;
  /** The cookie's value, which cannot be had again. */
  token: string;
  /** How long the session lasts at most, in milliseconds. */
  lastsMs: number;
}

/** Signs a browser in (docs/spec/sign-in.md#signing-in). */
@Injectable()
export class SignIn {
  constructor(
    private readonly storage: Storage,
    private readonly store: BrowserSessionStore,
    private readonly signOut: SignOut,
    private readonly audit: AuditTrail,
    @Inject(GATEKEEPER) private readonly gatekeeper: Gatekeeper,
  ) {}

  /**
   * @param replaced cookie of the session that the browser had until now; it ends.
   * @throws DomainError `unauthenticated` for a credential that is not valid, `insufficient_scope` for the operator's,
   *   `unavailable` when it cannot be checked now.
   */
  async execute(credential: string, replaced: string | undefined): Promise<SignedIn> {
    const holder = await this.gatekeeper.authenticate({ by: 'credential', text: credential });
    const token = newSessionToken();
    const row = sessionRow(holder, token, Date.now());
    await this.storage.write(async (tx) => {
      await this.signOut.endReplaced(tx, replaced === undefined ? null : digestOf(replaced));
      this.store.insert(tx, row);
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
