import { Injectable } from '@nestjs/common';
import type { Role } from '@spandrel/contract';
import { anyOf, integer, nullable, shapeOf, Storage, text, type RowOfShape } from '@spandrel/storage';
import { strongestRole } from '../people/person.store.js';

/** Limits are requests per second; `null`: the service's default. */
const TENANT = shapeOf({
  ...{ projectId: text(), orgId: text(), rateLimit: nullable(integer()), projectRateLimit: nullable(integer()) },
});
const KEY = TENANT.and(
  shapeOf({
    ...{ id: text(), name: text(), digest: text(), scopes: text() },
    ...{ createdAt: integer(), expiresAt: nullable(integer()), keyRateLimit: nullable(integer()) },
    ...{ makerPersonId: nullable(text()), role: nullable(text<Role>()) },
    ...{ confirmedAt: nullable(integer()), refusedAt: nullable(integer()) },
    ...{ sessionId: nullable(text()), tokenKey: nullable(text()), sessionRefreshedAt: nullable(integer()) },
  }),
);

const NAMES = shapeOf({ orgName: text(), projectName: text() });

/** What a project's credentials need to know of its organization. */
export type TenantRow = RowOfShape<typeof TENANT>;

/** A key as it is looked up to let a request in; `role` is that of its maker in its project, the others are of the maker too. */
export type KeyRow = RowOfShape<typeof KEY>;

/** What requests are let in by: many are looked up at once. */
@Injectable()
export class CredentialStore {
  constructor(private readonly storage: Storage) {}

  async keysByDigest(digests: readonly string[]): Promise<KeyRow[]> {
    const rows = await this.storage.read(
      KEY.query`select k.id, k.name, k.digest, k.scopes, k.expires_at as "expiresAt", k.project_id as "projectId",
          k.org_id as "orgId", o.rate_limit as "rateLimit", p.rate_limit as "projectRateLimit",
          k.rate_limit as "keyRateLimit", k.created_at as "createdAt", k.maker_person_id as "makerPersonId",
          m.role as role, h.signed_in_at as "confirmedAt", h.refused_at as "refusedAt",
          k.session_id as "sessionId", k.token_key as "tokenKey", s.refreshed_at as "sessionRefreshedAt"
        from api_key k join organization o on o.id = k.org_id join project p on p.id = k.project_id
        left join person h on h.id = k.maker_person_id
        left join browser_session s on s.id = k.session_id
        left join member m on m.person_id = k.maker_person_id and m.org_id = k.org_id
          and (m.project_id is null or m.project_id = k.project_id)
        where ${anyOf('k.digest', digests)} and p.deleting_at is null`,
    );
    return strongestRole(rows);
  }

  tenantsByProject(projectIds: readonly string[]): Promise<TenantRow[]> {
    return this.storage.read(
      TENANT.query`select p.id as "projectId", p.org_id as "orgId", o.rate_limit as "rateLimit",
          p.rate_limit as "projectRateLimit"
        from project p join organization o on o.id = p.org_id
        where ${anyOf('p.id', projectIds)} and p.deleting_at is null`,
    );
  }

  async namesOf(projectId: string): Promise<RowOfShape<typeof NAMES> | undefined> {
    const [names] = await this.storage.read(
      NAMES.query`select o.name as "orgName", p.name as "projectName"
        from project p join organization o on o.id = p.org_id where p.id = ${projectId}`,
    );
    return names;
  }
}
