import { timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { API_KEY_PREFIX, isApiKey } from '@spandrel/contract';
import { type Caller, permissionsOfRole } from '@spandrel/http';
import { AccessSettings } from '../access.settings.js';
import { AccessMemory, Batch, inTime } from './access-memory.js';
import { digestOf, endOfKey, permissionsNow, suspensionOf, permissionsOf } from './api-keys.js';
import { CredentialStore } from './credential.store.js';
import { JwtVerifier } from './jwt.js';
import { JwtSettings } from './jwt.settings.js';
import { ratesOf, type Rates } from '../limits/take-tokens.js';
import { ConfirmPerson } from '../people/confirm-person.js';
import { PersonStore } from '../people/person.store.js';
import { notValid, projectNotFound } from '../answers.js';
import { BrowserSessionStore, type FoundSession } from '../browser-sessions/browser-session.store.js';
import { UNUSED_MS_MAX } from '../browser-sessions/session-cookie.js';

export interface KnownCredential {
  caller: Caller;
  rates: Rates;
}

/** Finds out whose an API key or a JWT is. */
@Injectable()
export class Credentials {
  private readonly memory;
  private readonly keys;
  private readonly tenants;
  private readonly jwts: JwtVerifier;

  constructor(
    store: CredentialStore,
    private readonly settings: AccessSettings,
    names: JwtSettings,
    memory: AccessMemory,
    @Inject(ConfirmPerson) private readonly confirm: Pick<ConfirmPerson, 'keepMaker'>,
  ) {
    this.memory = memory.newMemory<KnownCredential | undefined>();
    this.jwts = new JwtVerifier(settings, names);
    this.keys = new Batch(
      (digests) => inTime(store.keysByDigest(digests)),
      ({ digest }) => digest,
    );
    this.tenants = new Batch(
      (ids) => inTime(store.tenantsByProject(ids)),
      ({ projectId }) => projectId,
    );
  }

  /**
   * @returns an answer half a second old at most, whose end is the caller's to check; `undefined` for an unknown credential.
   * @throws DomainError `unauthenticated` for a JWT that does not verify, `unavailable` when that cannot be found out.
   */
  async find(credential: string): Promise<KnownCredential | undefined> {
    if (credential.startsWith(API_KEY_PREFIX)) {
      if (!isApiKey(credential)) return undefined;
      const digest = digestOf(credential);
      return this.memory.get(digest, () => this.findKey(credential, digest));
    }
    return this.memory.get(digestOf(credential), () => this.findJwt(credential));
  }

  private async findKey(credential: string, digest: string): Promise<KnownCredential | undefined> {
    const row = await this.keys.find(digest);
    if (!row || !timingSafeEqual(Buffer.from(row.digest), Buffer.from(digest))) return undefined;
    if (this.settings.keysEndWithMaker) this.confirm.keepMaker(row, credential);
    if (suspensionOf({ ...row, makerHasRole: row.role !== null }, this.settings, Date.now())) return undefined;
    return {
      caller: {
        kind: 'api_key',
        id: row.id,
        label: row.name,
        scope: { orgId: row.orgId, projectId: row.projectId },
        permissions: permissionsNow(row, this.settings),
        expiresAt: endOfKey(row, this.settings),
      },
      rates: ratesOf(row, this.settings),
    };
  }

  private async findJwt(token: string): Promise<KnownCredential | undefined> {
    const { sub, org, project, permissions, expiresAt } = await this.jwts.verify(token);
    const tenant = await this.tenants.find(project);
    if (tenant?.orgId !== org) throw notValid();
    return {
      caller: { kind: 'jwt', id: sub, scope: { orgId: org, projectId: project }, permissions, expiresAt },
      rates: ratesOf(tenant, this.settings),
    };
  }
}

interface KnownSession extends KnownCredential {
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
    private readonly people: PersonStore,
    memory: AccessMemory,
  ) {
    this.memory = memory.newMemory<KnownSession | null | undefined>();
    this.sessions = new Batch(
      (digests) => inTime(store.byDigest(digests)),
      ({ digest }) => digest,
    );
  }

  /**
   * @param project the one in which a person asks; else it is the one that the session was begun in.
   * @returns an answer half a second old at most, whose end is the caller's to check; `undefined` where the cookie is good for
   *   nothing.
   * @throws DomainError `project_not_found` for a person without a role in `project`, `unavailable` when it cannot be found out.
   */
  async find(token: string, project?: string): Promise<KnownSession | undefined> {
    const digest = digestOf(token);
    const known = await this.memory.get(`${digest} ${project ?? ''}`, () => this.look(digest, token, project));
    if (known === null) throw projectNotFound();
    return known && known.usedAt + UNUSED_MS_MAX > Date.now() ? known : undefined;
  }

  /** @returns `null` for a person without a role in the project. */
  private async look(digest: string, token: string, project?: string): Promise<KnownSession | null | undefined> {
    let row = await this.sessions.find(digest);
    if (row && (await this.confirmPerson.keep(row, token))) row = await this.sessions.find(digest);
    if (!row || (row.keyId !== null && this.isSuspended(row))) return undefined;
    if (row.personId !== null) {
      if (project !== undefined && project !== row.projectId) {
        row = { ...row, role: null, ...(await inTime(this.people.findPlace(row.personId, project))) };
      }
      if (row.role === null) return project === undefined ? undefined : null;
    }
    const { keyRateLimit, ...limits } = row;
    const rates = ratesOf({ ...limits, ...(row.keyId !== null && { keyRateLimit }) }, this.settings);
    return { caller: this.callerOf(row), rates, usedAt: row.usedAt };
  }

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
