import { Injectable } from '@nestjs/common';
import {
  anyOf,
  integer,
  nullable,
  shapeOf,
  sql,
  Storage,
  text,
  type RowOfShape,
  type WriteTx,
} from '@spandrel/storage';
import { BrowserSession, type BrowserSessionRow } from './browser-session.entity.js';

const SESSION = shapeOf({
  ...{ id: text(), digest: text(), orgId: text(), projectId: text(), scopes: text() },
  ...{ keyId: nullable(text()), keyName: nullable(text()), subject: nullable(text()), rateLimit: nullable(integer()) },
  ...{ expiresAt: integer(), usedAt: integer() },
});

/** A session as it is looked up to let a request in; `rateLimit` is its organization's. */
export type FoundSession = RowOfShape<typeof SESSION>;

/** Rows of browsers that are signed in. */
@Injectable()
export class BrowserSessionStore {
  constructor(private readonly storage: Storage) {}

  /** Sessions with one of the digests, as long as their key is there. */
  byDigest(digests: readonly string[]): Promise<FoundSession[]> {
    return this.storage.read(
      SESSION.query`select s.id, s.digest, s.org_id as "orgId", s.project_id as "projectId", s.scopes,
          s.key_id as "keyId", k.name as "keyName", s.subject, o.rate_limit as "rateLimit", s.expires_at as "expiresAt",
          s.used_at as "usedAt"
        from browser_session s join organization o on o.id = s.org_id left join api_key k on k.id = s.key_id
        where ${anyOf('s.digest', digests)} and (s.key_id is null or k.id is not null)`,
    );
  }

  insert(tx: WriteTx, row: BrowserSessionRow): void {
    tx.em.create(BrowserSession, row);
  }

  /** The one with a cookie, whether it has ended or not. */
  find(tx: WriteTx, digest: string): Promise<BrowserSessionRow | null> {
    return tx.em.findOne(BrowserSession, { digest });
  }

  /** @returns whether it was there. */
  async delete(tx: WriteTx, id: string): Promise<boolean> {
    return (await tx.run(sql`delete from browser_session where id = ${id}`)) > 0;
  }

  /** Notes that a session was used; never sooner than was noted before. */
  async use(tx: WriteTx, id: string, at: number): Promise<void> {
    await tx.run(sql`update browser_session set used_at = ${at} where id = ${id} and used_at < ${at}`);
  }

  /** Deletes sessions that have ended: by time, for want of use, or with their key. */
  async deleteEnded(tx: WriteTx, now: number, unusedSince: number): Promise<void> {
    await tx.run(
      sql`delete from browser_session where expires_at <= ${now} or used_at <= ${unusedSince}
        or (key_id is not null and not exists (select 1 from api_key k where k.id = browser_session.key_id))`,
    );
  }
}
