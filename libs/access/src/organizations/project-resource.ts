import { formatTimestamp, type ProjectResource } from '@spandrel/contract';
import type { AccessSettings } from '../access.settings.js';
import type { RemovalRow } from '../removal/removal.entity.js';
import { stateOf } from '../removal/state-of.js';
import type { ProjectRow } from './project.entity.js';

/** A project as the wire shows it. @param removal how far its deletion is. */
export const projectResource = (
  row: ProjectRow,
  { projectRequestsPerSecond }: Pick<AccessSettings, 'projectRequestsPerSecond'>,
  removal?: RemovalRow,
): ProjectResource => ({
  id: row.id,
  org_id: row.orgId,
  ...auditedMembers(row),
  rate_limit: row.rateLimit ?? projectRequestsPerSecond,
  ...stateOf(row, removal),
  created_at: formatTimestamp(row.createdAt),
});

/** What of a project the audit log shows, by members of the wire. */
export const auditedMembers = ({ name, retentionDays, protected: isProtected, rateLimit }: ProjectRow) => ({
  name,
  retention_days: retentionDays,
  protected: isProtected === 1,
  rate_limit: rateLimit,
});
