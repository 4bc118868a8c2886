import { Module } from '@nestjs/common';
import { AuditLog } from './reading/audit-log.js';
import { AuditLogController } from './reading/audit-log.controller.js';
import { AuditLogStore } from './reading/audit-log.store.js';
import { ExportAuditLog } from './reading/export-audit-log.js';
import { RecordRefusals } from './refusals/record-refusals.js';
import { ForwardEntries } from './forwarding/forward-entries.js';
import { ForwardedEntriesStore } from './forwarding/forwarded-entries.store.js';

/** The audit log as it is read and forwarded, and the entries that no feature writes. */
@Module({
  controllers: [AuditLogController],
  providers: [AuditLogStore, AuditLog, ExportAuditLog, ForwardedEntriesStore, ForwardEntries, RecordRefusals],
})
export class AuditModule {}
