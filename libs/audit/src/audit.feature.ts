import { defineFeature } from '@spandrel/kernel';
import { AuditChainSchema, AuditEntrySchema } from './audit-entry.entity.js';
import { AuditModule } from './audit.module.js';

export const auditFeature = defineFeature({
  name: 'audit',
  mode: 'cloud',
  tag: { name: 'Audit log', description: 'Who administered, deleted, exported what, and what was refused.' },
  module: AuditModule,
  entities: [AuditEntrySchema, AuditChainSchema],
  requires: [],
});
