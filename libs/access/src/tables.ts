import { tableOf } from '@spandrel/storage';
import { ApiKeySchema } from './credentials/api-key.entity.js';
import { AuditEntrySchema } from './audit/audit-entry.entity.js';
import { OrganizationSchema } from './organizations/organization.entity.js';
import { ProjectSchema } from './organizations/project.entity.js';

export const organizationTable = tableOf(OrganizationSchema, ['id']);
export const projectTable = tableOf(ProjectSchema, ['id']);
export const apiKeyTable = tableOf(ApiKeySchema, ['id']);
export const auditLogTable = tableOf(AuditEntrySchema, ['id']);
