import { formatTimestamp, type KeyResource } from '@spandrel/contract';
import type { AuditedAct } from '@spandrel/audit';
import type { AccessSettings } from '../access.settings.js';
import type { ApiKeyRow } from './api-key.entity.js';
import type { ListedKey } from './api-key.store.js';
import { endOfKey, suspensionOf, type KeySettings } from './key-standing.js';
import { permissionsOf } from './permissions.js';

/** A key as the wire shows it. @param now milliseconds since the epoch. */
export function keyResource(
  key: ListedKey,
  settings: KeySettings & Pick<AccessSettings, 'keyRequestsPerSecond'>,
  now: number,
): KeyResource {
  const end = endOfKey(key, settings);
  const isSuspended = suspensionOf({ ...key, makerHasRole: key.makerRole !== null }, settings, now) !== undefined;
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    scopes: permissionsOf(key),
    org_id: key.orgId,
    project_id: key.projectId,
    expires_at: timeOrNull(end),
    state: end !== null && end <= now ? 'expired' : isSuspended ? 'suspended' : 'active',
    service_account: key.makerPersonId === null,
    maker: key.maker === null ? null : { id: key.maker, name: key.makerName },
    last_used_at: timeOrNull(key.usedAt),
    rate_limit: key.rateLimit ?? settings.keyRequestsPerSecond,
    created_at: formatTimestamp(key.createdAt),
  };
}

/** What the audit log says of a key. */
export const auditedKey = (row: ApiKeyRow): Omit<AuditedAct, 'action'> => ({
  ...{ orgId: row.orgId, projectId: row.projectId, targetId: row.id, targetName: row.name },
  details: {
    name: row.name,
    project_id: row.projectId,
    scopes: permissionsOf(row),
    expires_at: timeOrNull(row.expiresAt),
    service_account: row.makerPersonId === null,
  },
});

const timeOrNull = (time: number | null): string | null => (time === null ? null : formatTimestamp(time));
