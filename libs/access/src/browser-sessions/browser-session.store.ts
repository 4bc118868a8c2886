import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import type { Role } from '@spandrel/contract';
import {
  anyOf,
  integer,
  lockedInOrder,
  nullable,
  rawSql,
  shapeOf,
  sql,
  Storage,
  tableOf,
  text,
  type RowOfShape,
  type WriteTx,
} from '@spandrel/storage';
import { strongestRole } from '../people/person.store.js';
import { BrowserSession, BrowserSessionSchema, type BrowserSessionRow } from './browser-session.entity.js';

const TABLE = tableOf(BrowserSessionSchema, ['id']);
const SESSION = shapeOf({
  ...{ id: text(), digest: text(), orgId: text(), projectId: text(), scopes: text() },
  ...{ keyId: nullable(text()), keyName: nullable(text()), subject: nullable(text()), rateLimit: nullable(integer()) },
  ...{ projectRateLimit: nullable(integer()), keyRateLimit: nullable(integer()) },
  ...{ makerPersonId: nullable(text()), confirmedAt: nullable(integer()), refusedAt: nullable(integer()) },
  ...{ keyCreatedAt: nullable(integer()), keyExpiresAt: nullable(integer()) },
  ...{ expiresAt: integer(), usedAt: integer() },
  ...{ personId: nullable(text()), refreshedAt: nullable(integer()), sealedTokens: nullable(text()) },
});
const WITH_ROLE = SESSION.and(
  shapeOf({ role: nullable(text<Role>()), personName: nullable(text()), personEmail: nullable(text()) }),
);

/** A session as it is looked up to let a request in; `makerPersonId` and what the provider says are of its key's maker, or of its person. */
export interface FoundSession extends RowOfShape<typeof SESSION> {
  /** The role of a person, or of the maker of a key, in the session's project; `null` without one, for other keys and a JWT. */
  role: Role | null;
  label: string | null;
}

@Injectable()
export class BrowserSessionStore {
  constructor(private readonly storage: Storage) {}

  /** Sessions with one of the digests, as long as their key is there, or their person has a role anywhere. */
  async byDigest(digests: readonly string[]): Promise<FoundSession[]> {
    const rows = await this.storage.read(
      WITH_ROLE.query`select s.id, s.digest, s.org_id as "orgId", s.project_id as "projectId", s.scopes,
          s.key_id as "keyId", k.name as "keyName", s.subject, o.rate_limit as "rateLimit", s.expires_at as "expiresAt",
          s.used_at as "usedAt", s.person_id as "personId", s.refreshed_at as "refreshedAt",
          s.sealed_tokens as "sealedTokens", m.role as role, p.name as "personName", p.email as "personEmail",
          j.rate_limit as "projectRateLimit", k.rate_limit as "keyRateLimit", k.maker_person_id as "makerPersonId",
          p.signed_in_at as "confirmedAt", p.refused_at as "refusedAt", k.created_at as "keyCreatedAt",
          k.expires_at as "keyExpiresAt"
        from browser_session s join organization o on o.id = s.org_id join project j on j.id = s.project_id
        left join api_key k on k.id = s.key_id
        left join person p on p.id = coalesce(s.person_id, k.maker_person_id)
        left join member m on m.person_id = p.id and m.org_id = s.org_id
          and (m.project_id is null or m.project_id = s.project_id) and j.deleting_at is null
        where ${anyOf('s.digest', digests)} and (s.key_id is null or k.id is not null)
          and (case when s.person_id is null then j.deleting_at is null
            else exists (select 1 from member a where a.person_id = s.person_id) end)`,
    );
    return strongestRole(rows).map(({ personName, personEmail, ...row }) => ({
      ...row,
      label: row.keyName ?? personName ?? personEmail,
    }));
  }

  /** The one with a cookie, whether it has ended or not. */
  find(tx: WriteTx, digest: string): Promise<BrowserSessionRow | null> {
    return tx.em.findOne(BrowserSession, { digest });
  }

  /** One by its id, whether it has ended or not. */
  findById(id: string): Promise<BrowserSessionRow | null> {
    return this.storage.find((em) => em.findOne(BrowserSession, { id }));
  }

  /** {@link findById}, locked; what is changed of it is written with the transaction. */
  findForWrite(tx: WriteTx, id: string): Promise<BrowserSessionRow | null> {
    return tx.em.findOne(BrowserSession, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }

  /**
   * Notes that a server asks the identity provider about a session, unless another one does or did since it was looked up.
   * @param since one that began before this time has died.
   */
  async beginConfirming(
    tx: WriteTx,
    { id, refreshedAt }: Pick<FoundSession, 'id' | 'refreshedAt'>,
    now: number,
    since: number,
  ): Promise<boolean> {
    const begun = await tx.run(
      sql`update browser_session set refreshing_at = ${now} where id = ${id} and refreshed_at = ${refreshedAt}
        and (refreshing_at is null or refreshing_at < ${since})`,
    );
    return begun > 0;
  }

  /** Notes that the identity provider could not be asked. */
  async endConfirming(tx: WriteTx, id: string): Promise<void> {
    await tx.run(sql`update browser_session set refreshing_at = null where id = ${id}`);
  }

  /** @returns whether it was there and had not ended. */
  async delete(tx: WriteTx, id: string): Promise<boolean> {
    const hasBegun = sql`id = ${id} and expires_at > 0`;
    const isOpen = (await tx.run(sql`update browser_session set expires_at = 0 where ${hasBegun}`)) > 0;
    await tx.run(sql`delete from browser_session where id = ${id}`);
    return isOpen;
  }

  /**
   * Ends one for its browser. One whose tokens confirm the maker of an API key is kept, closed to browsers.
   * @returns whether it was there and had not ended.
   */
  async end(tx: WriteTx, id: string): Promise<boolean> {
    const kept = await tx.run(
      sql`update browser_session set expires_at = 0, digest = ${`ended ${id}`} where id = ${id} and expires_at > 0
        and sealed_tokens is not null and exists (select 1 from api_key k where k.session_id = browser_session.id)`,
    );
    return kept > 0 || this.delete(tx, id);
  }

  /** Takes the sessions of people out of a project or organization, to another project that their roles lead to, if any. */
  async moveAway(tx: WriteTx, column: 'project_id' | 'org_id', id: string): Promise<void> {
    const elsewhere = column === 'project_id' ? sql`p.id <> ${id}` : sql`p.org_id <> ${id}`;
    const others = sql`from member m join project p on p.org_id = m.org_id and (m.project_id is null or m.project_id = p.id)
      where m.person_id = browser_session.person_id and p.deleting_at is null and ${elsewhere}`;
    const left = sql`${rawSql(`browser_session.${column}`)} = ${id} and exists (select 1 ${others})`;
    await tx.run(
      sql`update browser_session set (project_id, org_id) = (select p.id, p.org_id ${others} order by p.id limit 1)
        where ${lockedInOrder(TABLE, left)}`,
    );
  }

  /** Notes that sessions were used; never sooner than was noted before. */
  async use(tx: WriteTx, ids: readonly string[], at: number): Promise<void> {
    const noted = sql`${anyOf('id', ids)} and used_at < ${at}`;
    await tx.run(sql`update browser_session set used_at = ${at} where ${lockedInOrder(TABLE, noted)}`);
  }

  /** Deletes sessions that have ended or are unused, but for those whose tokens confirm the maker of an API key. */
  async deleteEnded(tx: WriteTx, now: number, unusedSince: number): Promise<void> {
    await tx.run(
      sql`delete from browser_session where ((expires_at <= ${now} or used_at <= ${unusedSince})
          and not exists (select 1 from api_key k where k.session_id = browser_session.id))
        or (key_id is not null and not exists (select 1 from api_key k where k.id = browser_session.key_id))
        or (person_id is not null and not exists (select 1 from member m where m.person_id = browser_session.person_id))`,
    );
  }
}
