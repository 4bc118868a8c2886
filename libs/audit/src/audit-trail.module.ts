import { Global, Module } from '@nestjs/common';
import { CoreSettings } from '@spandrel/kernel';
import { Refusals } from './refusals/refusals.js';
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
