import { LockMode } from '@mikro-orm/core';
import { organizationNotFound, projectNotFound } from '../answers.js';
import { Injectable } from '@nestjs/common';
import type { ListAccess } from '@spandrel/contract';
import {
  IdOrder,
  sql,
  Storage,
  tableOf,
  type Page,
  type WriteTx,
  integer,
  shapeOf,
  rawSql,
  type Sql,
} from '@spandrel/storage';
import type { Actor } from './actor.js';
import {
  Organization,
  OrganizationSchema,
  type OrganizationRow,
  Project,
  ProjectSchema,
  type ProjectRow,
} from './organization.entity.js';
import type { ProjectDirectory } from '@spandrel/kernel';

const NEWEST_FIRST = new IdOrder('orgs', 'o.id', 'desc');
const COLUMNS = tableOf(OrganizationSchema, ['id']).select('o');

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

  /** One that the actor can see, to be shown. @throws NotFound `organization_not_found` */
  async get(actor: Actor, id: string): Promise<OrganizationRow> {
    const row = canSee(actor, id) ? await this.storage.find((em) => em.findOne(Organization, { id })) : null;
    if (!row) throw organizationNotFound();
    return row;
  }

  /** One that the actor can see, locked, to be changed. @throws NotFound `organization_not_found` */
  async getForWrite(tx: WriteTx, actor: Actor, id: string): Promise<OrganizationRow> {
    const lock = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;
    const row = canSee(actor, id) ? await tx.em.findOne(Organization, { id }, lock) : null;
    if (!row) throw organizationNotFound();
    return row;
  }

  find(tx: WriteTx, id: string): Promise<OrganizationRow | null> {
    return tx.em.findOne(Organization, { id });
  }

  /** Deletes one of which nothing is left. */
  async delete(tx: WriteTx, id: string): Promise<void> {
    await tx.run(sql`delete from organization where id = ${id}`);
  }
}

const canSee = ({ orgId }: Actor, id: string): boolean => orgId === null || orgId === id;

const OLDEST_FIRST = new IdOrder('projects', 'p.id', 'asc');
const PROTECTED = shapeOf({ protected: integer() });
const PROJECT = tableOf(ProjectSchema, ['id']).select('p');

@Injectable()
export class ProjectStore implements ProjectDirectory {
  constructor(private readonly storage: Storage) {}

  /** The projects of an organization. @throws Invalid `invalid_cursor`. */
  list(orgId: string, query: ListAccess): Promise<Page<ProjectRow>> {
    return OLDEST_FIRST.page(query, (rest) =>
      this.storage.readLong(PROJECT.query`select ${PROJECT} from project p where p.org_id = ${orgId} and ${rest}`, {
        orgId,
      }),
    );
  }

  /** One that the actor can see, to be shown. @throws NotFound `project_not_found` */
  async get(actor: Actor, id: string): Promise<ProjectRow> {
    const row = await this.storage.find((em) => em.findOne(Project, { id, ...inOrganization(actor) }));
    if (!row) throw projectNotFound();
    return row;
  }

  find(tx: WriteTx, actor: Actor, id: string): Promise<ProjectRow | null> {
    return tx.em.findOne(Project, { id, ...inOrganization(actor) });
  }

  async organizationOf(id: string): Promise<string | undefined> {
    const project = await this.storage.find((em) => em.findOne(Project, { id, deletingAt: null }));
    return project?.orgId;
  }

  /** One that the actor can see, locked, to be changed. @throws NotFound `project_not_found` */
  async getForWrite(tx: WriteTx, actor: Actor, id: string): Promise<ProjectRow> {
    const where = { id, ...inOrganization(actor) };
    const row = await tx.em.findOne(Project, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!row) throw projectNotFound();
    return row;
  }

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
}

/** What an actor may see, as a condition: what is of its organization; everything for the operator. */
export const visibleTo = ({ orgId }: Actor, orgColumn: string): Sql =>
  orgId === null ? sql`1 = 1` : sql`${rawSql(orgColumn)} = ${orgId}`;

/** The condition of {@link visibleTo} in the form that an entity manager takes. */
export const inOrganization = ({ orgId }: Actor): { orgId?: string } => (orgId === null ? {} : { orgId });
