import { Injectable } from '@nestjs/common';
import { permissionsOfRole } from '@spandrel/http';
import { AccessSettings } from '../access.settings.js';
import { AccessMemory, Batch, inTime } from '../credentials/access-memory.js';
import { digestOf, endOfKey, permissionsNow, suspensionOf, permissionsOf } from '../credentials/api-key.js';
import { ratesOf } from '../limits/take-tokens.js';
import { BrowserSessionStore, type FoundSession } from './browser-session.store.js';
import { ConfirmPerson } from '../people/confirm-person.js';
import { UNUSED_MS_MAX } from './session-cookie.js';
import type { KnownCredential } from '../credentials/credentials.js';

/** A session that was found to go on. */
export interface KnownSession extends KnownCredential {
  usedAt: number;
}

/** Finds out which session a cookie stands for. */
@Injectable()
export class KnownSessions {
  private readonly memory;
  private readonly sessions;

  constructor(
    store: BrowserSessionStore,
    private readonly settings: AccessSettings,
    private readonly confirmPerson: ConfirmPerson,
    memory: AccessMemory,
  ) {
    this.memory = memory.newMemory<KnownSession | undefined>();
    this.sessions = new Batch(
      (digests) => inTime(store.byDigest(digests)),
      ({ digest }) => digest,
    );
  }

  /**
   * @returns what was found out half a second ago at most, and since the last change of access at this server; whether its end has come since is the caller's to check.
   *   `undefined` for a cookie that stands for none, for one whose key is gone or whose person has no role any more, and for
   *   one that nobody used for long.
   * @throws DomainError `unavailable` when it cannot be found out.
   */
  async find(token: string): Promise<KnownSession | undefined> {
    const digest = digestOf(token);
    const known = await this.memory.get(digest, () => this.look(digest, token));
    return known && known.usedAt + UNUSED_MS_MAX > Date.now() ? known : undefined;
  }

  private async look(digest: string, token: string): Promise<KnownSession | undefined> {
    let row = await this.sessions.find(digest);
    if (row && (await this.confirmPerson.keep(row, token))) row = await this.sessions.find(digest);
    if (!row || (row.keyId !== null && this.isSuspended(row))) return undefined;
    const { keyRateLimit, ...limits } = row;
    const rates = ratesOf({ ...limits, ...(row.keyId !== null && { keyRateLimit }) }, this.settings);
    return { caller: this.callerOf(row), rates, usedAt: row.usedAt };
  }

  /** Whether the key that was signed in with is refused because of its maker. */
  private isSuspended(row: FoundSession): boolean {
    const facts = { ...row, makerHasRole: row.role !== null, createdAt: row.keyCreatedAt ?? 0, expiresAt: null };
    return suspensionOf(facts, this.settings, Date.now()) !== undefined;
  }

  private callerOf(row: FoundSession): KnownSession['caller'] {
    const session = {
      ...(row.label !== null && { label: row.label }),
      scope: { orgId: row.orgId, projectId: row.projectId },
      expiresAt: row.expiresAt,
      sessionId: row.id,
    };
    if (row.personId !== null && row.role !== null) {
      const { personId: id, role } = row;
      return { kind: 'person', id, ...session, role, permissions: permissionsOfRole(role) };
    }
    if (row.keyId === null) {
      return { kind: 'jwt', id: row.subject ?? '', ...session, permissions: permissionsOf(row) };
    }
    const key = { createdAt: row.keyCreatedAt ?? row.expiresAt, expiresAt: row.keyExpiresAt };
    return {
      ...{ kind: 'api_key', id: row.keyId, ...session },
      expiresAt: Math.min(row.expiresAt, endOfKey(key, this.settings) ?? Infinity),
      permissions: permissionsNow(row, this.settings),
    };
  }
}
