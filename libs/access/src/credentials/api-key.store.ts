import { LockMode } from '@mikro-orm/core';
import { keyNotFound } from '../answers.js';
import { Injectable } from '@nestjs/common';
import type { ListAccess } from '@spandrel/contract';
import {
  anyOf,
  IdOrder,
  integer,
  lockedInOrder,
  nullable,
  shapeOf,
  sql,
  Storage,
  tableOf,
  text,
  type Page,
  type RowOfShape,
  type WriteTx,
} from '@spandrel/storage';
import type { Actor } from '../organizations/actor.js';
import { ApiKey, ApiKeySchema, type ApiKeyRow } from './api-key.entity.js';
import { inOrganization, visibleTo } from '../organizations/organization.store.js';

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

  insert(tx: WriteTx, row: ApiKeyRow): void {
    tx.em.create(ApiKey, row);
  }

  /** @param key as {@link getForWrite} found it. */
  delete(tx: WriteTx, key: ApiKeyRow): void {
    tx.em.remove(key);
  }
}
