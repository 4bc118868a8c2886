import { Injectable } from '@nestjs/common';
import type { ListAccess } from '@spandrel/contract';
import { IdOrder, sql, Storage, tableOf, type Page, type Sql } from '@spandrel/storage';
import { AuditEntrySchema, type AuditEntryRow } from './audit-entry.entity.js';

const NEWEST_FIRST = new IdOrder('audit-log', 'a.id', 'desc');
const COLUMNS = tableOf(AuditEntrySchema, ['id']).select('a');

/** Rows of the audit log, as they are listed. */
@Injectable()
export class AuditLogStore {
  constructor(private readonly storage: Storage) {}

  /** @param orgId `null`: entries of all organizations and of the service. @throws Invalid `invalid_cursor`. */
  list(orgId: string | null, query: ListAccess): Promise<Page<AuditEntryRow>> {
    return NEWEST_FIRST.page(query, (rest) =>
      this.storage.readLong(
        COLUMNS.query`select ${COLUMNS} from audit_log a where ${ofOrganization(orgId)} and ${rest}`,
        { orgId: orgId ?? undefined },
      ),
    );
  }
}

const ofOrganization = (orgId: string | null): Sql => (orgId === null ? sql`1 = 1` : sql`a.org_id = ${orgId}`);
