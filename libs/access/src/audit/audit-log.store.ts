import { Injectable } from '@nestjs/common';
import type { ListAccess } from '@spandrel/contract';
import { IdOrder, Storage, tableOf, type Page, type WriteTx } from '@spandrel/storage';
import type { Actor } from '../organizations/actor.js';
import { AuditEntry, AuditEntrySchema, type AuditEntryRow } from './audit-entry.entity.js';
import { visibleTo } from '../organizations/of-organization.sql.js';

const NEWEST_FIRST = new IdOrder('audit-log', 'a.id', 'desc');
const COLUMNS = tableOf(AuditEntrySchema, ['id']).select('a');

/** Rows of the audit log. */
@Injectable()
export class AuditLogStore {
  constructor(private readonly storage: Storage) {}

  /** @throws Invalid `invalid_cursor`. */
  list(actor: Actor, query: ListAccess): Promise<Page<AuditEntryRow>> {
    return NEWEST_FIRST.page(query, (rest) =>
      this.storage.readLong(
        COLUMNS.query`select ${COLUMNS} from audit_log a where ${visibleTo(actor, 'a.org_id')} and ${rest}`,
        { orgId: actor.orgId ?? undefined },
      ),
    );
  }

  insert(tx: WriteTx, row: AuditEntryRow): void {
    tx.em.create(AuditEntry, row);
  }
}
