import { Injectable } from '@nestjs/common';
import type { ListAccess } from '@spandrel/contract';
import { forUpdate, IdOrder, sql, Storage, type Page, type WriteTx } from '@spandrel/storage';
import type { Actor } from './actor.js';
import { visibleTo } from './of-organization.store.js';
import type { OrganizationRow } from './organization.entity.js';
import { organizationTable } from '../tables.js';

const NEWEST_FIRST = new IdOrder('orgs', 'o.id', 'desc');
const COLUMNS = organizationTable.select('o');

/** Rows of organizations. */
@Injectable()
export class OrganizationStore {
  constructor(private readonly storage: Storage) {}

  /** @throws Invalid `invalid_cursor`. */
  list(actor: Actor, query: ListAccess): Promise<Page<OrganizationRow>> {
    return NEWEST_FIRST.page(query, (rest) =>
      this.storage.readLong<OrganizationRow>(
        sql`select ${COLUMNS} from organization o where ${visibleTo(actor, 'o.id')} and ${rest}`,
        { orgId: actor.orgId ?? undefined },
      ),
    );
  }

  /** Whether the actor can see an organization. */
  async has(actor: Actor, id: string): Promise<boolean> {
    const rows = await this.storage.read(
      sql`select o.id from organization o where o.id = ${id} and ${visibleTo(actor, 'o.id')}`,
    );
    return rows.length > 0;
  }

  /** One that the actor can see, locked. */
  async findForWrite(tx: WriteTx, actor: Actor, id: string): Promise<OrganizationRow | undefined> {
    const [row] = await tx.all<OrganizationRow>(
      sql`select ${COLUMNS} from organization o where o.id = ${id} and ${visibleTo(actor, 'o.id')}${forUpdate('o')}`,
    );
    return row;
  }

  insert(tx: WriteTx, row: OrganizationRow): Promise<void> {
    return tx.insert(organizationTable, [row]);
  }

  update(tx: WriteTx, row: OrganizationRow): Promise<void> {
    return tx.update(organizationTable, [row]);
  }
}
