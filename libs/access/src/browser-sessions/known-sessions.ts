import { Injectable } from '@nestjs/common';
import { permissionsOfRole } from '@spandrel/kernel';
import { AccessSettings } from '../access.settings.js';
import { AccessMemory } from '../credentials/access-memory.js';
import { digestOf } from '../credentials/api-key.js';
import { Batch } from '../credentials/batch.js';
import { inTime } from '../credentials/looked-up.js';
import { permissionsOf } from '../credentials/permissions.js';
import { BrowserSessionStore, type FoundSession } from './browser-session.store.js';
import { ConfirmPerson } from '../people/confirm-person.js';
import { UNUSED_MS_MAX } from './session-ends.js';
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
    return (
      row && { caller: callerOf(row), perSecond: row.rateLimit ?? this.settings.requestsPerSecond, usedAt: row.usedAt }
    );
  }
}

function callerOf(row: FoundSession): KnownSession['caller'] {
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
  const holder =
    row.keyId === null ? { kind: 'jwt' as const, id: row.subject ?? '' } : { kind: 'api_key' as const, id: row.keyId };
  return { ...holder, ...session, permissions: permissionsOf(row) };
}
