import { Module, Global } from '@nestjs/common';
import { CoreSettings, defineFeature } from '@spandrel/kernel';
import { AuditLog } from './reading/audit-log.js';
import { AuditLogController } from './reading/audit-log.controller.js';
import { RecordRefusals, Refusals } from './refusals/refusal-book.js';
import { ForwardEntries } from './forwarding/forward-entries.js';
import { ForwardedEntriesStore } from './forwarding/forwarded-entries.store.js';
import { AuditTrail } from './trail/audit-trail.js';
import { AuditChainSchema, AuditEntrySchema, AuditForwardedSchema } from './audit-entry.entity.js';
import { AuditSettings } from './audit.settings.js';

/** Gives {@link AuditTrail} and {@link Refusals} to every feature, whether the log can be read through routes or not. */
@Global()
@Module({
  providers: [
    { provide: AuditTrail, inject: [CoreSettings], useFactory: (core: CoreSettings) => new AuditTrail(core) },
    Refusals,
  ],
  exports: [AuditTrail, Refusals],
})
export class AuditTrailModule {}

/** The audit log as it is read and forwarded, and the entries that no feature writes. */
@Module({
  controllers: [AuditLogController],
  providers: [AuditLog, ForwardedEntriesStore, ForwardEntries, RecordRefusals],
})
class AuditModule {}

export const auditFeature = defineFeature({
  name: 'audit',
  mode: 'cloud',
  tag: { name: 'Audit log', description: 'Who administered, deleted, exported what, and what was refused.' },
  module: AuditModule,
  entities: [AuditEntrySchema, AuditChainSchema, AuditForwardedSchema],
  settings: [AuditSettings],
  requires: [],
});
