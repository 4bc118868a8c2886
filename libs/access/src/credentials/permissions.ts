import { PERMISSIONS, type Permission } from '@spandrel/contract';
import type { ApiKeyRow } from './api-key.entity.js';

/** What a stored key may do; the wire and the table call it `scopes`. */
export const permissionsOf = (row: Pick<ApiKeyRow, 'scopes'>): Permission[] => JSON.parse(row.scopes) as Permission[];

/** The permissions named in a JWT claim: a list, or words of one text (RFC 8693, 4.2). Unknown names are left out. */
export function permissionsOfClaim(claim: unknown): Permission[] {
  const named = typeof claim === 'string' ? claim.split(' ') : Array.isArray(claim) ? claim : [];
  return PERMISSIONS.filter((permission) => named.includes(permission));
}
