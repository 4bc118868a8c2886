import { formatTimestamp, type ProjectResource } from '@spandrel/contract';
import type { ProjectRow } from './project.entity.js';

/** A project as the wire shows it. */
export const projectResource = (row: ProjectRow): ProjectResource => ({
  id: row.id,
  org_id: row.orgId,
  ...auditedMembers(row),
  created_at: formatTimestamp(row.createdAt),
});

/** What of a project the audit log shows, by members of the wire. */
export const auditedMembers = ({ name, retentionDays, protected: isProtected }: ProjectRow) => ({
  name,
  retention_days: retentionDays,
  protected: isProtected === 1,
});
