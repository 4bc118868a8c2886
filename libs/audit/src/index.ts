export { AuditSettings } from './audit.settings.js';
export { Refusals, type RefusedSignIn } from './refusals/refusal-book.js';
export { auditFeature, AuditTrailModule } from './audit.module.js';
export { auditCommands } from './audit-commands.js';
export type { ChainHead } from './chain/chain-walk.store.js';
export type { CheckedChain } from './chain/verify-chains.js';
export { AuditTrail, type AuditedAct, changesBetween } from './trail/audit-trail.js';
