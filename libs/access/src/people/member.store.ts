import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import type { ListAccess } from '@spandrel/contract';
import {
  IdOrder,
  integer,
  nullable,
  shapeOf,
  Storage,
  tableOf,
  text,
  type Page,
  type RowOfShape,
  type WriteTx,
} from '@spandrel/storage';
import { Person, Member, MemberSchema, type MemberRow } from './person.entity.js';

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

/** Rows of members. */
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

  insert(tx: WriteTx, row: MemberRow): void {
    tx.em.create(Member, row);
  }

  delete(tx: WriteTx, row: MemberRow): void {
    tx.em.remove(row);
  }
}
