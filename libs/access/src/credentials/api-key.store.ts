import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import type { ListAccess } from '@spandrel/contract';
import { IdOrder, Storage, tableOf, type Page, type WriteTx } from '@spandrel/storage';
import type { Actor } from '../organizations/actor.js';
import { ApiKey, ApiKeySchema, type ApiKeyRow } from './api-key.entity.js';
import { inOrganization, visibleTo } from '../organizations/of-organization.sql.js';

const NEWEST_FIRST = new IdOrder('keys', 'k.id', 'desc');
const COLUMNS = tableOf(ApiKeySchema, ['id']).select('k');

/** Rows of API keys. */
@Injectable()
export class ApiKeyStore {
  constructor(private readonly storage: Storage) {}

  /** @throws Invalid `invalid_cursor`. */
  list(actor: Actor, query: ListAccess): Promise<Page<ApiKeyRow>> {
    return NEWEST_FIRST.page(query, (rest) =>
      this.storage.readLong(
        COLUMNS.query`select ${COLUMNS} from api_key k where ${visibleTo(actor, 'k.org_id')} and ${rest}`,
        { orgId: actor.orgId ?? undefined },
      ),
    );
  }

  /** One that the actor can see, locked. */
  findForWrite(tx: WriteTx, actor: Actor, id: string): Promise<ApiKeyRow | null> {
    return tx.em.findOne(ApiKey, { id, ...inOrganization(actor) }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }

  insert(tx: WriteTx, row: ApiKeyRow): void {
    tx.em.create(ApiKey, row);
  }

  /** @param key as {@link findForWrite} found it. */
  delete(tx: WriteTx, key: ApiKeyRow): void {
    tx.em.remove(key);
  }
}
