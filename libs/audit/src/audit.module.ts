import { Module } from '@nestjs/common';
import { AuditLog } from './audit-log.js';
import { AuditLogController } from './audit-log.controller.js';
import { AuditLogStore } from './audit-log.store.js';

/** The audit log as it is read, checked and told to others. */
@Module({
  controllers: [AuditLogController],
  providers: [AuditLogStore, AuditLog],
})
export class AuditModule {}
