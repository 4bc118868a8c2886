import { Module, Global } from '@nestjs/common';
import { CoreSettings } from '@spandrel/kernel';
import { AuditLog } from './reading/audit-log.js';
import { AuditLogController } from './reading/audit-log.controller.js';
import { RecordRefusals, Refusals } from './refusals/refusal-book.js';
import { ForwardEntries } from './forwarding/forward-entries.js';
import { ForwardedEntriesStore } from './forwarding/forwarded-entries.store.js';
import { AuditTrail } from './trail/audit-trail.js';

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
export class AuditModule {}
