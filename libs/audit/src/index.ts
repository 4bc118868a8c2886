export { auditFeature } from './audit.feature.js';
export { AuditLog } from './audit-log.js';
export { AuditLogStore } from './audit-log.store.js';
export { AuditTrail, type AuditedAct } from './audit-trail.js';
export { AuditTrailModule } from './audit-trail.module.js';
export { changesBetween } from './changes-between.js';
