import { Injectable } from '@nestjs/common';
import { isStorableText, type AuditFilter, type ListAudit } from '@spandrel/contract';
import { anyOf, IdOrder, joinSql, rawSql, sql, Storage, tableOf, type Page, type Sql } from '@spandrel/storage';
import { encodeTime } from 'ulid';
import { AuditEntrySchema, type AuditEntryRow } from '../audit-entry.entity.js';

const NEWEST_FIRST = new IdOrder('audit-log', 'a.id', 'desc');
const COLUMNS = tableOf(AuditEntrySchema, ['id']).select('a');

/** Rows of the audit log, as they are listed and exported. */
@Injectable()
export class AuditLogStore {
  constructor(private readonly storage: Storage) {}

  /**
   * @param orgId `null`: entries of all organizations and of the service.
   * @throws Invalid `invalid_cursor`.
   */
  list(orgId: string | null, { limit, cursor, ...filter }: ListAudit): Promise<Page<AuditEntryRow>> {
    const page = { limit, ...(cursor !== undefined && { cursor }) };
    return NEWEST_FIRST.page(page, (rest) =>
      this.storage.readLong(
        COLUMNS.query`select ${COLUMNS} from audit_log a where ${matching(orgId, filter)} and ${rest}`,
        { orgId: orgId ?? undefined },
      ),
    );
  }

  /** Entries behind an id, oldest first. */
  after(orgId: string | null, filter: AuditFilter, afterId: string, count: number): Promise<AuditEntryRow[]> {
    return this.storage.readLong(
      COLUMNS.query`select ${COLUMNS} from audit_log a
        where ${matching(orgId, filter)} and a.id > ${afterId} order by a.id limit ${count}`,
      { orgId: orgId ?? undefined, patient: true },
    );
  }
}

function matching(orgId: string | null, { actor, action, target, since, until }: AuditFilter): Sql {
  const conditions = [sql`1 = 1`];
  if (orgId !== null) conditions.push(sql`a.org_id = ${orgId}`);
  if (actor !== undefined) conditions.push(equal('a.actor', actor));
  if (target !== undefined) conditions.push(equal('a.target_id', target));
  if (action !== undefined) conditions.push(anyOf('a.action', action));
  // No entry has an id that is older than its time, and ids are what the list is read by.
  if (since !== undefined) conditions.push(sql`a.id >= ${firstIdOf(since)} and a.at >= ${since}`);
  if (until !== undefined) conditions.push(sql`a.at < ${until}`);
  return joinSql(conditions, ' and ');
}

/** A text that the database cannot hold is equal to none. */
const equal = (column: string, text: string): Sql =>
  isStorableText(text) ? sql`${rawSql(column)} = ${text}` : sql`1 = 0`;

/** ULIDs reach so far, in milliseconds since the epoch. */
const TIME_MAX = 2 ** 48 - 1;
const TIME_DIGITS = 10;

/** The least id that can be made at a time: ids begin with the time at which they were made. */
export const firstIdOf = (ms: number): string =>
  encodeTime(Math.min(Math.max(0, Math.floor(ms)), TIME_MAX), TIME_DIGITS);
