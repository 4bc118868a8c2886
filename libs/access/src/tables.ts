import { Table } from '@spandrel/storage';
import { ApiKeySchema, type ApiKeyRow } from './credentials/api-key.entity.js';
import { AuditEntrySchema, type AuditEntryRow } from './audit/audit-entry.entity.js';
import { OrganizationSchema, type OrganizationRow } from './organizations/organization.entity.js';
import { ProjectSchema, type ProjectRow } from './organizations/project.entity.js';

export const organizationTable = new Table<OrganizationRow>(OrganizationSchema, ['id']);
export const projectTable = new Table<ProjectRow>(ProjectSchema, ['id']);
export const apiKeyTable = new Table<ApiKeyRow>(ApiKeySchema, ['id']);
export const auditLogTable = new Table<AuditEntryRow>(AuditEntrySchema, ['id']);
