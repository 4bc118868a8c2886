import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import type { ListAccess } from '@spandrel/contract';
import { IdOrder, sql, Storage, tableOf, type Page, type WriteTx } from '@spandrel/storage';
import type { Actor } from './actor.js';
import { visibleTo } from './project.store.js';
import { Organization, OrganizationSchema, type OrganizationRow } from './organization.entity.js';

const NEWEST_FIRST = new IdOrder('orgs', 'o.id', 'desc');
const COLUMNS = tableOf(OrganizationSchema, ['id']).select('o');

/** Rows of organizations. */
@Injectable()
export class OrganizationStore {
  constructor(private readonly storage: Storage) {}

  /** @throws Invalid `invalid_cursor`. */
  list(actor: Actor, query: ListAccess): Promise<Page<OrganizationRow>> {
    return NEWEST_FIRST.page(query, (rest) =>
      this.storage.readLong(
        COLUMNS.query`select ${COLUMNS} from organization o where ${visibleTo(actor, 'o.id')} and ${rest}`,
        { orgId: actor.orgId ?? undefined },
      ),
    );
  }

  /** Whether the actor can see an organization. */
  async has(actor: Actor, id: string): Promise<boolean> {
    return canSee(actor, id) && (await this.storage.find((em) => em.count(Organization, { id }))) > 0;
  }

  /** One that the actor can see, to be shown. */
  async findVisible(actor: Actor, id: string): Promise<OrganizationRow | null> {
    return canSee(actor, id) ? this.storage.find((em) => em.findOne(Organization, { id })) : null;
  }

  /** One that the actor can see, locked; what is changed of it is written with the transaction. */
  async findForWrite(tx: WriteTx, actor: Actor, id: string): Promise<OrganizationRow | null> {
    if (!canSee(actor, id)) return null;
    return tx.em.findOne(Organization, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }

  /** One as it is. */
  find(tx: WriteTx, id: string): Promise<OrganizationRow | null> {
    return tx.em.findOne(Organization, { id });
  }

  /** Deletes one of which nothing is left. */
  async delete(tx: WriteTx, id: string): Promise<void> {
    await tx.run(sql`delete from organization where id = ${id}`);
  }

  insert(tx: WriteTx, row: OrganizationRow): void {
    tx.em.create(Organization, row);
  }
}

const canSee = ({ orgId }: Actor, id: string): boolean => orgId === null || orgId === id;
