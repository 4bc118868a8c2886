import { Injectable } from '@nestjs/common';
import type { ListAccess } from '@spandrel/contract';
import { forUpdate, IdOrder, sql, Storage, type Page, type WriteTx } from '@spandrel/storage';
import type { Actor } from '../organizations/actor.js';
import type { ApiKeyRow } from './api-key.entity.js';
import { visibleTo } from '../organizations/of-organization.store.js';
import { apiKeyTable } from '../tables.js';

const NEWEST_FIRST = new IdOrder('keys', 'k.id', 'desc');
const COLUMNS = apiKeyTable.select('k');

/** Rows of API keys. */
@Injectable()
export class ApiKeyStore {
  constructor(private readonly storage: Storage) {}

  /** @throws Invalid `invalid_cursor`. */
  list(actor: Actor, query: ListAccess): Promise<Page<ApiKeyRow>> {
    return NEWEST_FIRST.page(query, (rest) =>
      this.storage.readLong<ApiKeyRow>(
        sql`select ${COLUMNS} from api_key k where ${visibleTo(actor, 'k.org_id')} and ${rest}`,
        { orgId: actor.orgId ?? undefined },
      ),
    );
  }

  /** One that the actor can see, locked. */
  async findForWrite(tx: WriteTx, actor: Actor, id: string): Promise<ApiKeyRow | undefined> {
    const [row] = await tx.all<ApiKeyRow>(
      sql`select ${COLUMNS} from api_key k where k.id = ${id} and ${visibleTo(actor, 'k.org_id')}${forUpdate('k')}`,
    );
    return row;
  }

  insert(tx: WriteTx, row: ApiKeyRow): Promise<void> {
    return tx.insert(apiKeyTable, [row]);
  }

  async delete(tx: WriteTx, id: string): Promise<void> {
    await tx.run(sql`delete from api_key where id = ${id}`);
  }
}
