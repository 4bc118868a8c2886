import { Injectable } from '@nestjs/common';
import { anyOf, integer, nullable, shapeOf, Storage, text, type RowOfShape } from '@spandrel/storage';

/** `rateLimit`: requests per second; `null`: the service's default. */
const TENANT = shapeOf({ projectId: text(), orgId: text(), rateLimit: nullable(integer()) });
const KEY = TENANT.and(
  shapeOf({ id: text(), name: text(), digest: text(), scopes: text(), expiresAt: nullable(integer()) }),
);

const NAMES = shapeOf({ orgName: text(), projectName: text() });

/** What a project's credentials need to know of its organization. */
export type TenantRow = RowOfShape<typeof TENANT>;

/** A key as it is looked up to let a request in. */
export type KeyRow = RowOfShape<typeof KEY>;

/** What requests are let in by: many are looked up at once. */
@Injectable()
export class CredentialStore {
  constructor(private readonly storage: Storage) {}

  keysByDigest(digests: readonly string[]): Promise<KeyRow[]> {
    return this.storage.read(
      KEY.query`select k.id, k.name, k.digest, k.scopes, k.expires_at as "expiresAt", k.project_id as "projectId",
          k.org_id as "orgId", o.rate_limit as "rateLimit"
        from api_key k join organization o on o.id = k.org_id join project p on p.id = k.project_id
        where ${anyOf('k.digest', digests)} and p.deleting_at is null`,
    );
  }

  tenantsByProject(projectIds: readonly string[]): Promise<TenantRow[]> {
    return this.storage.read(
      TENANT.query`select p.id as "projectId", p.org_id as "orgId", o.rate_limit as "rateLimit"
        from project p join organization o on o.id = p.org_id
        where ${anyOf('p.id', projectIds)} and p.deleting_at is null`,
    );
  }

  /** What people call a project and its organization. */
  async namesOf(projectId: string): Promise<RowOfShape<typeof NAMES> | undefined> {
    const [names] = await this.storage.read(
      NAMES.query`select o.name as "orgName", p.name as "projectName"
        from project p join organization o on o.id = p.org_id where p.id = ${projectId}`,
    );
    return names;
  }
}
