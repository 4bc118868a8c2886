import { timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { API_KEY_PREFIX, isApiKey } from '@spandrel/contract';
import type { Caller } from '@spandrel/http';
import { AccessSettings } from '../access.settings.js';
import { AccessMemory, Batch, inTime } from './access-memory.js';
import { digestOf, endOfKey, permissionsNow, suspensionOf } from './api-key.js';
import { CredentialStore } from './credential.store.js';
import { JwtVerifier } from './jwt.js';
import { JwtSettings } from './jwt.settings.js';
import { ratesOf, type Rates } from '../limits/take-tokens.js';
import { ConfirmPerson } from '../people/confirm-person.js';
import { notValid } from '../answers.js';

/** A credential that was found to be valid. */
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
   * @returns what was found out half a second ago at most, and since the last change of access at this server; whether it has expired since is the caller's to check.
   *   `undefined` for a credential that is not known.
   * @throws DomainError `unauthenticated` for a JWT that does not verify, `unavailable` when that cannot be found out.
   */
  find(credential: string): Promise<KnownCredential | undefined> {
    if (credential.startsWith(API_KEY_PREFIX)) {
      if (!isApiKey(credential)) return Promise.resolve(undefined);
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
