import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import type { Role } from '@spandrel/contract';
import { newId } from '@spandrel/kernel';
import { anyOf, nullable, shapeOf, sql, Storage, text, type RowOfShape, type WriteTx } from '@spandrel/storage';
import { Member, type MemberRow, Person, type PersonRow } from './person.entity.js';

const OPEN_PROJECT = shapeOf({
  ...{ id: text(), name: text(), orgId: text(), orgName: text(), role: text<Role>() },
});
const PLACE = shapeOf({ orgId: text(), projectId: nullable(text()) });

/** A project that a person may open, a row for each role that leads there. */
export type OpenProjectRow = RowOfShape<typeof OPEN_PROJECT>;

/** Rows of people, and of the roles that lead them to projects. */
@Injectable()
export class PersonStore {
  constructor(private readonly storage: Storage) {}

  /** Somebody whom the provider calls so, locked; made where there was nobody. */
  async findOrCreate(
    tx: WriteTx,
    { issuer, subject }: Pick<PersonRow, 'issuer' | 'subject'>,
    now: number,
  ): Promise<PersonRow> {
    await tx.run(
      sql`insert into person (id, issuer, subject, created_at, signed_in_at)
        values (${newId()}, ${issuer}, ${subject}, ${now}, ${now}) on conflict (issuer, subject) do nothing`,
    );
    return tx.em.findOneOrFail(Person, { issuer, subject }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }

  /** One that is there, locked. */
  findForWrite(tx: WriteTx, id: string): Promise<PersonRow | null> {
    return tx.em.findOne(Person, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }

  async find(id: string): Promise<PersonRow | null> {
    return this.storage.find((em) => em.findOne(Person, { id }));
  }

  /** Roles that were added for an address become those of the person who has it. */
  async takeRoles(tx: WriteTx, { id, email }: PersonRow): Promise<void> {
    if (email === null) return;
    await tx.run(
      sql`update member set person_id = ${id} where email = ${email} and person_id is null and source = 'added'`,
    );
  }

  /** Forgets that people had a project open, and people whom no role leads anywhere any more. */
  async forget(tx: WriteTx, projectId: string): Promise<void> {
    await tx.run(sql`update person set project_id = null where project_id = ${projectId}`);
    await tx.run(
      sql`delete from person where project_id is null and not exists (select 1 from member m where m.person_id = person.id)`,
    );
  }

  /** Roles that the groups of a person gave until now. */
  groupRoles(tx: WriteTx, personId: string): Promise<MemberRow[]> {
    return tx.em.find(Member, { personId, source: 'groups' });
  }

  /** Which of some organizations exist, with each of their projects, and with none. */
  async places(tx: WriteTx, orgIds: readonly string[]): Promise<RowOfShape<typeof PLACE>[]> {
    if (orgIds.length === 0) return [];
    return tx.all(
      PLACE.query`select o.id as "orgId", p.id as "projectId" from organization o left join project p on p.org_id = o.id
          and p.deleting_at is null where ${anyOf('o.id', orgIds)} and o.deleting_at is null`,
    );
  }

  /** The projects that a person's roles lead to, by the names of organization and project. */
  openProjects(personId: string): Promise<OpenProjectRow[]> {
    return this.storage.read(openProjects(personId));
  }

  /** {@link openProjects} as a transaction sees them. */
  openProjectsIn(tx: WriteTx, personId: string): Promise<OpenProjectRow[]> {
    return tx.all(openProjects(personId));
  }
}

const openProjects = (personId: string) =>
  OPEN_PROJECT.query`select p.id, p.name, p.org_id as "orgId", o.name as "orgName", m.role as role
    from member m join project p on p.org_id = m.org_id and (m.project_id is null or m.project_id = p.id)
    join organization o on o.id = p.org_id
    where m.person_id = ${personId} and p.deleting_at is null order by o.name, o.id, p.name, p.id`;
