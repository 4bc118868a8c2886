import { Injectable } from '@nestjs/common';
import { formatTimestamp, type BrowserSessionResource } from '@spandrel/contract';
import type { Caller } from '@spandrel/http';
import { CredentialStore } from '../credentials/credential.store.js';
import { OidcSettings } from '../oidc/oidc.settings.js';
import { PersonStore } from '../people/person.store.js';

const NOBODY = {
  ...{ mode: 'cloud' as const, signed_in: false, kind: null, id: null, org: null, project: null, scopes: [] },
  ...{ expires_at: null, person: null, role: null },
};

/** Answers a browser who is signed in (docs/spec/sign-in.md#who-is-signed-in). */
@Injectable()
export class DescribeSession {
  private readonly identityProvider: BrowserSessionResource['identity_provider'];

  constructor(
    private readonly store: CredentialStore,
    private readonly people: PersonStore,
    { issuer, label }: OidcSettings,
  ) {
    this.identityProvider = issuer === null ? null : { label };
  }

  /** @param caller `undefined` where the request showed nothing that is valid. */
  async execute(caller: Caller | undefined): Promise<BrowserSessionResource> {
    if (!caller) return { ...NOBODY, identity_provider: this.identityProvider };
    const { kind, id, scope, permissions, expiresAt, role } = caller;
    const person = kind === 'person' ? await this.people.find(id) : null;
    const names = scope ? await this.store.namesOf(scope.projectId) : undefined;
    return {
      mode: 'cloud',
      signed_in: true,
      // The route is closed to the token for metrics.
      kind: kind as BrowserSessionResource['kind'],
      id,
      org: scope && { id: scope.orgId, name: names?.orgName ?? scope.orgId },
      project: scope && { id: scope.projectId, name: names?.projectName ?? scope.projectId },
      scopes: [...permissions],
      expires_at: expiresAt === null ? null : formatTimestamp(expiresAt),
      person: person && { id, name: person.name, email: person.email },
      role: role ?? null,
      identity_provider: this.identityProvider,
    };
  }
}
