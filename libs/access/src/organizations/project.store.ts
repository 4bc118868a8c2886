import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import type { ListAccess } from '@spandrel/contract';
import type { ProjectDirectory } from '@spandrel/kernel';
import {
  IdOrder,
  integer,
  shapeOf,
  sql,
  Storage,
  tableOf,
  type Page,
  type WriteTx,
  rawSql,
  type Sql,
} from '@spandrel/storage';
import type { Actor } from './actor.js';
import { Project, ProjectSchema, type ProjectRow } from './organization.entity.js';

const OLDEST_FIRST = new IdOrder('projects', 'p.id', 'asc');
const PROTECTED = shapeOf({ protected: integer() });
const TABLE = tableOf(ProjectSchema, ['id']);
const COLUMNS = TABLE.select('p');
const ORGANIZATION = TABLE.select('p', ['orgId']);

/** Rows of projects. */
@Injectable()
export class ProjectStore implements ProjectDirectory {
  constructor(private readonly storage: Storage) {}

  /** The projects of an organization. @throws Invalid `invalid_cursor`. */
  list(orgId: string, query: ListAccess): Promise<Page<ProjectRow>> {
    return OLDEST_FIRST.page(query, (rest) =>
      this.storage.readLong(COLUMNS.query`select ${COLUMNS} from project p where p.org_id = ${orgId} and ${rest}`, {
        orgId,
      }),
    );
  }

  /** One that the actor can see, to be shown. */
  async findVisible(actor: Actor, id: string): Promise<ProjectRow | null> {
    return this.storage.find((em) => em.findOne(Project, { id, ...inOrganization(actor) }));
  }

  /** One that the actor can see. */
  find(tx: WriteTx, actor: Actor, id: string): Promise<ProjectRow | null> {
    return tx.em.findOne(Project, { id, ...inOrganization(actor) });
  }

  async organizationOf(id: string): Promise<string | undefined> {
    const [row] = await this.storage.read(
      ORGANIZATION.query`select ${ORGANIZATION} from project p where p.id = ${id} and p.deleting_at is null`,
    );
    return row?.orgId;
  }

  /** One that the actor can see, locked; what is changed of it is written with the transaction. */
  findForWrite(tx: WriteTx, actor: Actor, id: string): Promise<ProjectRow | null> {
    return tx.em.findOne(Project, { id, ...inOrganization(actor) }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }

  /** All projects of an organization, locked. */
  allForWrite(tx: WriteTx, orgId: string): Promise<ProjectRow[]> {
    return tx.em.find(Project, { orgId }, { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' } });
  }

  /** Deletes one of which nothing is left. */
  async delete(tx: WriteTx, id: string): Promise<void> {
    await tx.run(sql`delete from project where id = ${id}`);
  }

  /** Whether a project is protected; it stays so until the end of the transaction. */
  async isProtected(tx: WriteTx, id: string): Promise<boolean> {
    const [row] = await tx.all(PROTECTED.query`select p.protected from project p where p.id = ${id} for share`);
    return row?.protected === 1;
  }

  insert(tx: WriteTx, row: ProjectRow): void {
    tx.em.create(Project, row);
  }
}

/** What an actor may see, as a condition: what is of its organization; everything for the operator. */
export const visibleTo = ({ orgId }: Actor, orgColumn: string): Sql =>
  orgId === null ? sql`1 = 1` : sql`${rawSql(orgColumn)} = ${orgId}`;

/** The condition of {@link visibleTo} in the form that an entity manager takes. */
export const inOrganization = ({ orgId }: Actor): { orgId?: string } => (orgId === null ? {} : { orgId });
