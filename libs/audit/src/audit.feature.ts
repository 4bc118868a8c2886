import { defineFeature } from '@spandrel/kernel';
import { AuditChainSchema, AuditEntrySchema, AuditForwardedSchema } from './audit-entry.entity.js';
import { AuditModule } from './audit.module.js';
import { AuditSettings } from './audit.settings.js';

export const auditFeature = defineFeature({
  name: 'audit',
  mode: 'cloud',
  tag: { name: 'Audit log', description: 'Who administered, deleted, exported what, and what was refused.' },
  module: AuditModule,
  entities: [AuditEntrySchema, AuditChainSchema, AuditForwardedSchema],
  settings: [AuditSettings],
  requires: [],
});
