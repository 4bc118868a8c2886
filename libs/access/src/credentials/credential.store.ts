import { Injectable } from '@nestjs/common';
import { anyOf, sql, Storage } from '@spandrel/storage';

/** What a project's credentials need to know of its organization. */
export interface TenantRow {
  projectId: string;
  orgId: string;
  /** Requests per second; `null`: the service's default. */
  rateLimit: number | null;
}

/** A key as it is looked up to let a request in. */
export interface KeyRow extends TenantRow {
  id: string;
  digest: string;
  scopes: string;
  expiresAt: number | null;
}

/** What requests are let in by: many are looked up at once. */
@Injectable()
export class CredentialStore {
  constructor(private readonly storage: Storage) {}

  keysByDigest(digests: readonly string[]): Promise<KeyRow[]> {
    return this.storage.read<KeyRow>(
      sql`select k.id, k.digest, k.scopes, k.expires_at as "expiresAt", k.project_id as "projectId",
          k.org_id as "orgId", o.rate_limit as "rateLimit"
        from api_key k join organization o on o.id = k.org_id where ${anyOf('k.digest', digests)}`,
    );
  }

  tenantsByProject(projectIds: readonly string[]): Promise<TenantRow[]> {
    return this.storage.read<TenantRow>(
      sql`select p.id as "projectId", p.org_id as "orgId", o.rate_limit as "rateLimit"
        from project p join organization o on o.id = p.org_id where ${anyOf('p.id', projectIds)}`,
    );
  }
}
