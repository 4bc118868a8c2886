import { Injectable } from '@nestjs/common';
import {
  fromColumns,
  auditEntrySchema,
  type AuditEntry,
  type ListAudit,
  formatTimestamp,
  isStorableText,
  type AuditFilter,
} from '@spandrel/contract';
import {
  type Page,
  objectFromJsonText,
  anyOf,
  IdOrder,
  joinSql,
  rawSql,
  sql,
  Storage,
  tableOf,
  type Sql,
} from '@spandrel/storage';
import { type AuditEntryRow, AuditEntrySchema } from '../audit-entry.entity.js';
import { encodeTime } from 'ulid';
import type { Readable } from 'node:stream';
import { streamSlices } from '@spandrel/http';
import { AuditTrail } from '../trail/audit-trail.js';

const NEWEST_FIRST = new IdOrder('audit-log', 'a.id', 'desc');
const COLUMNS = tableOf(AuditEntrySchema, ['id']).select('a');
const SLICE = 500;

const auditResource = (row: AuditEntryRow): AuditEntry =>
  fromColumns(auditEntrySchema, row, { details: objectFromJsonText(row.details) });

/** An entry as a line of a file. */
export const auditLine = (row: AuditEntryRow): string => `${JSON.stringify(auditResource(row))}\n`;

/** The audit log as it is read: listed, and as a file (docs/spec/audit.md#routes). */
@Injectable()
export class AuditLog {
  constructor(
    private readonly storage: Storage,
    private readonly audit: AuditTrail,
  ) {}

  /** Entries, newest first. @param orgId `null`: of all, and of the service itself. @throws Invalid `invalid_cursor`. */
  async list(orgId: string | null, { limit, cursor, ...filter }: ListAudit): Promise<Page<AuditEntry>> {
    const page = { limit, ...(cursor !== undefined && { cursor }) };
    const { items, nextCursor } = await NEWEST_FIRST.page(page, (rest) =>
      this.storage.readLong(
        COLUMNS.query`select ${COLUMNS} from audit_log a where ${matching(orgId, filter)} and ${rest}`,
        { orgId: orgId ?? undefined },
      ),
    );
    return { items: items.map(auditResource), nextCursor };
  }

  /**
   * An entry a line, oldest first. The export is an entry itself, which is written before anything is sent.
   * @param orgId the organization whose entries are wanted; `null`: all, and the service's own.
   */
  async export(orgId: string | null, filter: AuditFilter): Promise<Readable> {
    const content = await streamSlices(this.slices(orgId, filter), { head: '', between: '', tail: () => '' });
    const { since, until, ...others } = filter;
    const details = {
      ...others,
      ...(since !== undefined && { since: formatTimestamp(since) }),
      ...(until !== undefined && { until: formatTimestamp(until) }),
    };
    const targetId = orgId ?? 'all';
    await this.audit.recordAlone(this.storage, { action: 'audit_log.exported', orgId, targetId, details });
    return content;
  }

  private async *slices(orgId: string | null, filter: AuditFilter): AsyncGenerator<string, void> {
    for (let afterId = ''; ;) {
      const rows = await this.storage.readLong(
        COLUMNS.query`select ${COLUMNS} from audit_log a
          where ${matching(orgId, filter)} and a.id > ${afterId} order by a.id limit ${SLICE}`,
        { orgId: orgId ?? undefined, patient: true },
      );
      const last = rows.at(-1);
      if (!last) return;
      yield rows.map(auditLine).join('');
      // A look behind the newest entry would find that of this export.
      if (rows.length < SLICE) return;
      afterId = last.id;
    }
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
