import { Injectable } from '@nestjs/common';
import type { Role, ListAccess } from '@spandrel/contract';
import {
  anyOf,
  integer,
  nullable,
  shapeOf,
  Storage,
  text,
  type RowOfShape,
  IdOrder,
  lockedInOrder,
  sql,
  tableOf,
  type Page,
  type WriteTx,
} from '@spandrel/storage';
import { LockMode } from '@mikro-orm/core';
import { strongestRole } from '../people/person.store.js';
import { keyNotFound } from '../answers.js';
import type { Actor } from '../organizations/actor.js';
import { ApiKey, ApiKeySchema, type ApiKeyRow } from './api-key.entity.js';
import { inOrganization, visibleTo } from '../organizations/organization.store.js';

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

const NEWEST_FIRST = new IdOrder('keys', 'k.id', 'desc');
const TABLE = tableOf(ApiKeySchema, ['id']);
const COLUMNS = TABLE.select('k');
const LISTED = COLUMNS.and(
  shapeOf({ makerRole: nullable(text()), confirmedAt: nullable(integer()), refusedAt: nullable(integer()) }),
);

/** A key with what is known of its maker now: a role in its project, if any, and what the identity provider said. */
export type ListedKey = RowOfShape<typeof LISTED>;

const LISTED_KEYS = sql`select ${COLUMNS}, h.signed_in_at as "confirmedAt", h.refused_at as "refusedAt",
    (select min(m.role) from member m where m.person_id = k.maker_person_id and m.org_id = k.org_id
      and (m.project_id is null or m.project_id = k.project_id)) as "makerRole"
  from api_key k left join person h on h.id = k.maker_person_id`;

@Injectable()
export class ApiKeyStore {
  constructor(private readonly storage: Storage) {}

  /** @throws Invalid `invalid_cursor`. */
  list(actor: Actor, query: ListAccess): Promise<Page<ListedKey>> {
    return NEWEST_FIRST.page(query, (rest) =>
      this.storage.readLong(LISTED.query`${LISTED_KEYS} where ${visibleTo(actor, 'k.org_id')} and ${rest}`, {
        orgId: actor.orgId ?? undefined,
      }),
    );
  }

  /** One with its maker, as a transaction sees it. */
  async findListed(tx: WriteTx, id: string): Promise<ListedKey | undefined> {
    const [key] = await tx.all(LISTED.query`${LISTED_KEYS} where k.id = ${id}`);
    return key;
  }

  ofMaker(tx: WriteTx, personId: string): Promise<ListedKey[]> {
    return tx.all(LISTED.query`${LISTED_KEYS} where k.maker_person_id = ${personId} order by k.id`);
  }

  /** Who a key ends with; `null` for one of a service account, and for one that is gone. */
  async makerOf(tx: WriteTx, id: string): Promise<string | null> {
    return (await tx.em.findOne(ApiKey, { id }))?.makerPersonId ?? null;
  }

  /** Notes since when a key is refused because of its maker; `null`: it is not any more. @returns whether that was new. */
  async suspend(tx: WriteTx, id: string, at: number | null): Promise<boolean> {
    const statement =
      at === null
        ? sql`update api_key set suspended_at = null where id = ${id} and suspended_at is not null`
        : sql`update api_key set suspended_at = ${at} where id = ${id} and suspended_at is null`;
    return (await tx.run(statement)) > 0;
  }

  /** Notes that keys were used; never sooner than was noted before. */
  async use(tx: WriteTx, ids: readonly string[], at: number): Promise<void> {
    const noted = sql`${anyOf('id', ids)} and (used_at is null or used_at < ${at})`;
    await tx.run(sql`update api_key set used_at = ${at} where ${lockedInOrder(TABLE, noted)}`);
  }

  /** One that the actor can see, locked. @throws NotFound `key_not_found` */
  async getForWrite(tx: WriteTx, actor: Actor, id: string): Promise<ApiKeyRow> {
    const where = { id, ...inOrganization(actor) };
    const row = await tx.em.findOne(ApiKey, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!row) throw keyNotFound();
    return row;
  }
}
