import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { type Role, ROLES, type ListAccess } from '@spandrel/contract';
import { newId, type CallerDirectory, type Scope } from '@spandrel/kernel';
import {
  anyOf,
  nullable,
  shapeOf,
  sql,
  Storage,
  text,
  type RowOfShape,
  type WriteTx,
  IdOrder,
  integer,
  tableOf,
  type Page,
} from '@spandrel/storage';
import { Member, type MemberRow, Person, type PersonRow, MemberSchema } from './person.entity.js';
import { AccessSettings } from '../access.settings.js';

const OPEN_PROJECT = shapeOf({
  ...{ id: text(), name: text(), orgId: text(), orgName: text(), role: text<Role>() },
});
const PLACE = shapeOf({ orgId: text(), projectId: nullable(text()) });
const OWN_PLACE = shapeOf({
  ...{ id: text(), orgId: text(), projectId: text(), role: text<Role>() },
  ...{ rateLimit: nullable(integer()), projectRateLimit: nullable(integer()) },
});

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

  /** A project as a role of a person leads to it; `undefined` where none does. */
  async findPlace(personId: string, projectId: string): Promise<Omit<RowOfShape<typeof OWN_PLACE>, 'id'> | undefined> {
    const rows = await this.storage.read(
      OWN_PLACE.query`select j.id, j.id as "projectId", j.org_id as "orgId", m.role as role, o.rate_limit as "rateLimit",
          j.rate_limit as "projectRateLimit"
        from member m join project j on j.org_id = m.org_id and (m.project_id is null or m.project_id = j.id)
        join organization o on o.id = j.org_id
        where m.person_id = ${personId} and j.id = ${projectId} and j.deleting_at is null`,
    );
    const [found] = strongestRole(rows);
    if (!found) return undefined;
    const { id: _, ...place } = found;
    return place;
  }

  /** The projects that a person's roles lead to, by the names of organization and project. @param tx reads them. */
  async openProjects(personId: string, tx?: WriteTx): Promise<OpenProject[]> {
    const query = openProjects(personId);
    const rows = strongestRole(await (tx ? tx.all(query) : this.storage.read(query)));
    return rows.map(({ id, name, orgId, orgName, role }) => ({ id, name, org: { id: orgId, name: orgName }, role }));
  }
}

const openProjects = (personId: string) =>
  OPEN_PROJECT.query`select p.id, p.name, p.org_id as "orgId", o.name as "orgName", m.role as role
    from member m join project p on p.org_id = m.org_id and (m.project_id is null or m.project_id = p.id)
    join organization o on o.id = p.org_id
    where m.person_id = ${personId} and p.deleting_at is null order by o.name, o.id, p.name, p.id`;

export interface OpenProject {
  id: string;
  name: string;
  org: { id: string; name: string };
  role: Role;
}

/** One row an id, of rows that have one for each role: of several roles the one that may most. */
export function strongestRole<Row extends { id: string; role: Role | null }>(rows: readonly Row[]): Row[] {
  const strongest = new Map<string, Row>();
  for (const row of rows) {
    const known = strongest.get(row.id)?.role;
    if (known && row.role && ROLES.indexOf(known) <= ROLES.indexOf(row.role)) continue;
    strongest.set(row.id, row);
  }
  return [...strongest.values()];
}

const OLDEST_FIRST = new IdOrder('members', 'm.id', 'asc');
const COLUMNS = tableOf(MemberSchema, ['id']).select('m');
const LISTED = COLUMNS.and(
  shapeOf({
    ...{ personName: nullable(text()), personEmail: nullable(text()) },
    ...{ confirmedAt: nullable(integer()), refusedAt: nullable(integer()) },
  }),
);

/** A member with the person behind it, as lists show it. */
export type ListedMember = RowOfShape<typeof LISTED>;

@Injectable()
export class MemberStore {
  constructor(private readonly storage: Storage) {}

  /** Members of an organization. @throws Invalid `invalid_cursor`. */
  list(orgId: string, query: ListAccess): Promise<Page<ListedMember>> {
    return OLDEST_FIRST.page(query, (rest) =>
      this.storage.readLong(
        LISTED.query`select ${COLUMNS}, p.name as "personName", p.email as "personEmail",
            p.signed_in_at as "confirmedAt", p.refused_at as "refusedAt"
          from member m left join person p on p.id = m.person_id where m.org_id = ${orgId} and ${rest}`,
        { orgId },
      ),
    );
  }

  /** One of an organization, locked; what is changed of it is written with the transaction. */
  findForWrite(tx: WriteTx, orgId: string, id: string): Promise<MemberRow | null> {
    return tx.em.findOne(Member, { id, orgId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }

  /** Whether somebody added an address for an organization, or for one project of it. */
  async has(
    tx: WriteTx,
    { orgId, projectId, email }: Pick<MemberRow, 'orgId' | 'projectId' | 'email'>,
  ): Promise<boolean> {
    return (await tx.em.count(Member, { orgId, projectId, email, source: 'added' })) > 0;
  }

  /** Whether somebody else is an owner of the organization of a member, also one who has not signed in yet. */
  async hasOtherOwner(tx: WriteTx, { id, orgId }: Pick<MemberRow, 'id' | 'orgId'>): Promise<boolean> {
    return (await tx.em.count(Member, { orgId, role: 'owner', id: { $ne: id } })) > 0;
  }

  /** What is known of the person behind a member. */
  async personOf(tx: WriteTx, personId: string | null): Promise<Omit<ListedMember, keyof MemberRow>> {
    const person = personId === null ? null : await tx.em.findOne(Person, { id: personId });
    return {
      ...{ personName: person?.name ?? null, personEmail: person?.email ?? null },
      ...{ confirmedAt: person?.signedInAt ?? null, refusedAt: person?.refusedAt ?? null },
    };
  }
}

const CALLER = shapeOf({ id: text(), email: nullable(text()) });

/** Who may review in a project: people by their roles, and keys (docs/spec/queue.md#assignment). */
@Injectable()
export class ReviewerDirectory implements CallerDirectory {
  constructor(
    private readonly storage: Storage,
    private readonly settings: AccessSettings,
  ) {}

  async findReviewers({ orgId, projectId }: Scope, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const emails = names.map((name) => name.toLowerCase());
    const rows = await this.storage.read(
      CALLER.query`select p.id as id, p.email as email from person p join member m on m.person_id = p.id
          where m.org_id = ${orgId} and (m.project_id is null or m.project_id = ${projectId}) and m.role <> 'viewer'
            and (${anyOf('p.id', names)} or ${anyOf('lower(p.email)', emails)})
        union select k.id as id, null as email from api_key k
          where k.project_id = ${projectId} and ${anyOf('k.id', names)}`,
    );
    // Nobody knows which tokens there are.
    const takesTokens = this.settings.jwtSecret !== null || this.settings.jwksUrl !== null;
    return new Map(
      names.flatMap((name, at) => {
        const found = rows.find(({ id, email }) => id === name || email?.toLowerCase() === emails[at]);
        return found || takesTokens ? [[name, found?.id ?? name] as const] : [];
      }),
    );
  }
}
