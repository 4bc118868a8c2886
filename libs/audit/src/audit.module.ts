import { Module } from '@nestjs/common';
import { AuditLog } from './reading/audit-log.js';
import { AuditLogController } from './reading/audit-log.controller.js';
import { AuditLogStore } from './reading/audit-log.store.js';
import { ExportAuditLog } from './reading/export-audit-log.js';
import { RecordRefusals } from './refusals/record-refusals.js';
import { TellEntries } from './telling/tell-entries.js';
import { ToldEntriesStore } from './telling/told-entries.store.js';

/** The audit log as it is read and told to others, and the entries that no feature writes. */
@Module({
  controllers: [AuditLogController],
  providers: [AuditLogStore, AuditLog, ExportAuditLog, ToldEntriesStore, TellEntries, RecordRefusals],
})
export class AuditModule {}
