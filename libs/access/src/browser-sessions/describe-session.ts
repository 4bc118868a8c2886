import { Injectable } from '@nestjs/common';
import { formatTimestamp, type BrowserSessionResource } from '@spandrel/contract';
import type { Caller } from '@spandrel/kernel';
import { CredentialStore } from '../credentials/credential.store.js';

const NOBODY: BrowserSessionResource = {
  ...{ mode: 'cloud', signed_in: false, kind: null, id: null, org: null, project: null, scopes: [], expires_at: null },
};

/** Tells a browser who it is signed in as (docs/spec/sign-in.md#who-is-signed-in). */
@Injectable()
export class DescribeSession {
  constructor(private readonly store: CredentialStore) {}

  /** @param caller `undefined` where the request showed nothing that is valid. */
  async execute(caller: Caller | undefined): Promise<BrowserSessionResource> {
    if (!caller) return NOBODY;
    const { kind, id, scope, permissions, expiresAt } = caller;
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
    };
  }
}
